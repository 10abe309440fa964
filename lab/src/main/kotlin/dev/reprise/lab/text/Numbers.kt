package dev.reprise.lab.text

import java.util.Locale

internal fun decimal(value: Double, digits: Int = 1): String = "%,.${digits}f".format(Locale.ROOT, value)

internal fun percent(share: Double): String = "${decimal(share * 100)} %"

/** [value] without the decimals that say nothing: 30, and 0.4. */
internal fun plain(value: Double): String = if (value % 1 == 0.0) decimal(value, 0) else value.toString()

/** [plain] without commas. */
internal fun bare(value: Double): String = plain(value).replace(",", "")

/** Names the largest and the smallest value in one sentence: its subject, [doing], the figure, [what]. */
internal fun contrast(
    values: Map<String, Double>,
    doing: String,
    what: String,
    digits: Int = 1,
    all: String = "every policy",
): String {
    val most = values.maxBy { it.value }
    val least = values.minBy { it.value }
    val (more, less) = decimal(most.value, digits) to decimal(least.value, digits)
    val subject = if (values.size > 1 && more == less) all else "“${most.key}”"
    val other = if (more == less) "" else ", “${least.key}” $less"
    return "$subject $doing $more $what$other.".replaceFirstChar { it.uppercase() }
}
