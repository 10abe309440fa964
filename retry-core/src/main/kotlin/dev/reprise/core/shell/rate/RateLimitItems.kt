package dev.reprise.core.shell.rate

/**
 * A member of a list in the manner of RFC 9651, as far as the rate-limit fields use it: a name (string, token, or
 * none) with a whole [value] (`name=5`) or with parameters (`"name";r=5;t=3`).
 */
internal class RateLimitItem(val name: String, val value: Long?, private val parameters: Map<String, Long>) {
    operator fun get(parameter: String): Long? = parameters[parameter]
}

/** Parses lists of [RateLimitItem]s in one pass. Parameters that are no whole numbers are skipped. */
internal object RateLimitItems {
    private const val MOST_DIGITS = 15

    /** The members of [text]; null if it is not such a list. */
    fun parse(text: String): List<RateLimitItem>? = Reader(text).list()

    /** [text] as a number; null unless it is 1 to 15 ASCII digits. */
    fun digits(text: String): Long? =
        if (text.length in 1..MOST_DIGITS && text.all { it in '0'..'9' }) text.toLong() else null

    private class Reader(private val text: String) {
        private var at = 0

        fun list(): List<RateLimitItem>? {
            val items = ArrayList<RateLimitItem>()
            while (true) {
                blanks()
                items += item() ?: return null
                blanks()
                if (at == text.length) return items
                if (!skip(',')) return null
            }
        }

        private fun item(): RateLimitItem? {
            val name = bare() ?: return null
            val value = if (skip('=')) bare() ?: return null else null
            val parameters = HashMap<String, Long>()
            while (true) {
                blanks()
                if (!skip(';')) break
                blanks()
                val key = bare() ?: return null
                val number = if (skip('=')) bare() ?: return null else ""
                digits(number)?.let { parameters.putIfAbsent(key, it) }
            }
            return RateLimitItem(name, value?.let(::digits), parameters)
        }

        /** A string, a byte sequence or a token, without its delimiters. */
        private fun bare(): String? {
            if (skip('"')) return enclosed('"')
            if (skip(':')) return enclosed(':')
            val start = at
            while (at < text.length && isToken(text[at])) at++
            return if (at > start) text.substring(start, at) else null
        }

        private fun enclosed(end: Char): String? {
            val content = StringBuilder()
            while (at < text.length) {
                val c = text[at++]
                if (c == end) return content.toString()
                if (c == '\\') {
                    if (at == text.length) return null
                    content.append(text[at++])
                } else {
                    content.append(c)
                }
            }
            return null
        }

        private fun isToken(c: Char) = c in 'a'..'z' || c in 'A'..'Z' || c in '0'..'9' || c in "-_.*!#$%&'+^`|~?/"

        private fun blanks() {
            while (at < text.length && (text[at] == ' ' || text[at] == '\t')) at++
        }

        private fun skip(c: Char): Boolean = (at < text.length && text[at] == c).also { if (it) at++ }
    }
}
