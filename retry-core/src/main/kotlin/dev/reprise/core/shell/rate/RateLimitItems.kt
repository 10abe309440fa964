package dev.reprise.core.shell.rate

import dev.reprise.core.shell.text.digitsOrNull

/**
 * A member of a list in the manner of RFC 9651, as far as the rate-limit fields use it: a name (string, token, or
 * none) with a whole [value] (`name=5`) or with parameters (`"name";r=5;t=3`).
 */
internal class RateLimitItem(val name: String, val value: Long?) {
    val parameters = HashMap<String, Long>()

    operator fun get(parameter: String): Long? = parameters[parameter]
}

/** Parses lists of [RateLimitItem]s in one pass. Parameters that are no whole numbers are skipped. */
internal object RateLimitItems {
    private const val MOST_DIGITS = 15

    /** A string, a byte sequence or a token. */
    private const val BARE =
        """"[^"\\]*+(?:\\.[^"\\]*+)*+"|:[^:\\]*+(?:\\.[^:\\]*+)*+:|[-A-Za-z0-9_.*!#$%&'+^`|~?/]++"""

    /** A name, perhaps with a value, and what separates it from the next: a comma, or a semicolon before a parameter. */
    private val PART =
        Regex("[ \t]*+($BARE)(?:=($BARE))?+[ \t]*+([,;]|\\z)", RegexOption.DOT_MATCHES_ALL)
    private val ESCAPED = Regex("\\\\(.)", RegexOption.DOT_MATCHES_ALL)

    /** The members of [text]; null if it is not such a list. */
    fun parse(text: String): List<RateLimitItem>? {
        val items = ArrayList<RateLimitItem>()
        var at = 0
        var separator = ","
        while (separator.isNotEmpty()) {
            val part = PART.matchAt(text, at) ?: return null
            val (name, value, next) = part.destructured
            val number = digits(plain(value))
            when {
                separator == "," -> items += RateLimitItem(plain(name), number)
                number != null -> items.last().parameters.putIfAbsent(plain(name), number)
            }
            separator = next
            at = part.range.last + 1
        }
        return items
    }

    /** [text] as a number; null unless it is 1 to 15 ASCII digits. */
    fun digits(text: String): Long? = text.digitsOrNull(MOST_DIGITS)

    /** The content of [bare], without its delimiters. */
    private fun plain(bare: String): String {
        if (bare.isEmpty() || bare[0] !in "\":") return bare
        return ESCAPED.replace(bare.substring(1, bare.length - 1), "$1")
    }
}
