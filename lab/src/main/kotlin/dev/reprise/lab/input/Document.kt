package dev.reprise.lab.input

import dev.reprise.lab.text.bare
import dev.reprise.presets.document.JsonText
import dev.reprise.presets.document.Node
import dev.reprise.presets.document.PolicyFormatException
import dev.reprise.presets.document.mustBeOneOf
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import java.math.BigDecimal
import java.math.RoundingMode
import kotlin.time.Duration
import kotlin.time.DurationUnit

/** A value of a document with its path: the reader of policy documents, with the limits of the lab's own files. */
internal typealias Document = Node

/** The document in [text], which is JSON. */
internal fun document(text: String): Document = JsonText.parse(text)

/** The members of this object, all of which must be among [known]; `null` counts as absent. */
internal fun Document.members(vararg known: String): Members {
    val all = entries()
    for ((name, member) in all) {
        if (name !in known) {
            throw PolicyFormatException(member.path, "unknown member, ${mustBeOneOf(name, known.toList())}", "")
        }
    }
    return Members(this, all.filter { (_, member) -> member.element !is JsonNull }.toMap())
}

/** All members of this object, with any names. */
internal fun Document.entries(): List<Pair<String, Document>> {
    val members = element as? JsonObject ?: wrong("must be an object")
    return members.map { (name, value) -> name to Document("$path.$name", value) }
}

/** A text, or a number as it is written. */
internal fun Document.textOrNumber(): String = numberOrNull() ?: text()

internal fun Document.wholeNumber(range: IntRange): Int =
    numberOrNull()?.toIntOrNull()?.takeIf { it in range } ?: wrong("must be a whole number from $range")

internal fun Document.number(least: Double, most: Double): Double =
    numberOrNull()?.toDouble()?.takeIf { it in least..most }
        ?: wrong("must be a number from ${bare(least)} to ${bare(most)}")

internal fun Document.numberAbove(bound: Double, most: Double): Double =
    numberOrNull()?.toDouble()?.takeIf { it > bound && it <= most }
        ?: wrong("must be a number above ${bare(bound)}, at most ${bare(most)}")

/** A duration such as `50ms`, `1.5s` or `2m`, in seconds, from [least] to [most] seconds. */
internal fun Document.inSeconds(least: Double = 0.0, most: Double = Limits.LATEST): Double =
    textOrNull()?.takeIf { !it.startsWith("-") }?.let(Duration::parseOrNull)?.toDouble(DurationUnit.SECONDS)
        ?.takeIf { it in least..most }
        ?: wrong("must be a duration from ${bare(least)}s to ${bare(most)}s, such as \"50ms\", \"1.5s\" or \"2m\"")

/** Seconds, as whole ns. */
internal fun Document.seconds(): Long {
    val text = numberOrNull()?.takeIf { it.toDouble() in -LAST..LAST } ?: wrong("must be a number of seconds")
    return BigDecimal(text).movePointRight(9).setScale(0, RoundingMode.HALF_EVEN).toLong()
}

private fun Document.numberOrNull(): String? =
    (element as? JsonPrimitive)?.takeIf { !it.isString }?.content?.takeIf { NUMBER.matches(it) }

/** A number of JSON, whose exponent has four digits at most. */
internal val NUMBER = Regex("-?(0|[1-9][0-9]*+)(\\.[0-9]++)?([eE][-+]?[0-9]{1,4})?")

/** The last second that a clock in ns can show, near enough. */
private const val LAST = 9.2e9

/** The members of [owner] that are there. */
internal class Members(private val owner: Document, members: Map<String, Document>) : Map<String, Document> by members {
    /** The member [name]; the reader says so if it is missing. */
    fun required(name: String): Document = this[name] ?: owner.wrong("must have the member \"$name\"")
}

/** How much one simulation may ask for, so that a slip of the keyboard is an error and not a run without end. */
internal object Limits {
    const val CLIENTS = 1_000_000

    /** Calls that one run may be expected to make. */
    const val CALLS = 100_000_000L

    /** Seconds: a day. */
    const val LATEST = 86_400.0
}
