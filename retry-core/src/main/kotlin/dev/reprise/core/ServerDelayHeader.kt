package dev.reprise.core

import dev.reprise.core.shell.time.MILLI
import dev.reprise.core.shell.time.SECOND

/**
 * The headers in which servers ask for a delay. Header values may be hostile: a value that breaks the format is
 * [UNREADABLE], one that is too large saturates, and nothing throws.
 */
public enum class ServerDelayHeader(
    /** The header's name, in lower case. */
    public val headerName: String,
    /** The name in policy documents. */
    internal val word: String,
) {
    /** `x-amz-retry-after`: ASCII digits and nothing else, not even blanks; milliseconds. */
    AMZ_MILLIS("x-amz-retry-after", "x-amz-retry-after"),

    /** `retry-after-ms`: milliseconds in ASCII digits, with or without a fraction. Azure, OpenAI and others send it. */
    RETRY_AFTER_MILLIS("retry-after-ms", "retry-after-ms"),

    /**
     * `Retry-After`: seconds in ASCII digits, or one of the three HTTP date forms. Digits may have a fraction such as `1.5`,
     * which some servers send though RFC 9110 has none; it is read to the nanosecond and rounded up.
     */
    RETRY_AFTER("retry-after", "retry-after"),

    /** `Retry-After` in seconds only; a date is unreadable. */
    RETRY_AFTER_SECONDS("retry-after", "retry-after-seconds"),

    /**
     * `Retry-After` as the AWS SDK for Go v1 reads it, with `strconv.Atoi`: seconds with a sign or none and no blanks. A
     * negative number shortens the wait; seconds beyond the range of a Go duration wrap round, as they do there.
     */
    RETRY_AFTER_ATOI("retry-after", "retry-after-atoi"),

    /**
     * `Retry-After` as the HTTP helper of the AWS SDK for JavaScript v2 reads it, with `parseInt`: the seconds at the
     * beginning of the value; the rest is ignored. A negative number shortens the wait.
     */
    RETRY_AFTER_PARSE_INT("retry-after", "retry-after-parse-int"),

    /**
     * `Retry-After` as the AWS SDK for Java v2 reads it, with `Integer.parseInt`: seconds with a plus or none and no blanks.
     * More than 2147483647 is unreadable, and so is a negative number, which throws out of the call there.
     */
    RETRY_AFTER_INTEGER("retry-after", "retry-after-integer"),
    ;

    internal fun parse(value: String, response: HttpOutcome): Long = when (this) {
        AMZ_MILLIS -> digits(value, MILLI)
        RETRY_AFTER_MILLIS -> decimal(value, MILLI_DIGITS)
        RETRY_AFTER -> decimal(value, SECOND_DIGITS).let { if (it != UNREADABLE) it else untilDate(value, response) }
        RETRY_AFTER_SECONDS -> digits(value, SECOND)
        RETRY_AFTER_ATOI -> Others.atoi(value)?.let { bounded(it * SECOND) } ?: UNREADABLE
        RETRY_AFTER_PARSE_INT -> parsedInt(value)
        RETRY_AFTER_INTEGER -> value.toIntOrNull()?.takeIf { it >= 0 }?.let { it * SECOND } ?: UNREADABLE
    }

    private fun parsedInt(value: String): Long {
        val (sign, digits) = Others.parseInt(value) ?: return UNREADABLE
        val nanos = digits(digits, SECOND)
        return bounded(if (sign == "-") -nanos else nanos)
    }

    /**
     * Returns the delay that [response] asks for in ns, [ABSENT] or [UNREADABLE]; negative only where the format has a
     * sign.
     */
    internal fun read(response: HttpOutcome): Long {
        val value = response.header(headerName) ?: return ABSENT
        val isExact = this == AMZ_MILLIS || this == RETRY_AFTER_ATOI || this == RETRY_AFTER_INTEGER
        return parse(if (isExact) value else value.trim(' ', '\t'), response)
    }

    /** The number formats of other languages. Apart, so that only programs that read one load regular expressions. */
    private object Others {
        private val ATOI = Regex("[-+]?+[0-9]++")
        private val PARSE_INT = Regex("^\\s*+([-+]?+)([0-9]++)")

        fun atoi(value: String): Long? = if (ATOI.matches(value)) value.toLongOrNull() else null

        fun parseInt(value: String): MatchResult.Destructured? = PARSE_INT.find(value)?.destructured
    }

    internal companion object {
        /** The header is not there. */
        internal const val ABSENT: Long = Long.MIN_VALUE

        /** The header is there and cannot be read. */
        internal const val UNREADABLE: Long = Long.MIN_VALUE + 1

        /** The decimal places of a unit in ns. */
        private const val SECOND_DIGITS = 9
        private const val MILLI_DIGITS = 6

        /** Keeps a delay apart from [ABSENT] and [UNREADABLE]. */
        private fun bounded(nanos: Long) = nanos.coerceAtLeast(UNREADABLE + 1)

        private fun digits(value: String, unit: Long): Long {
            if (value.isEmpty()) return UNREADABLE
            val limit = Long.MAX_VALUE / unit
            var number = 0L
            for (c in value) {
                if (c !in '0'..'9') return UNREADABLE
                val digit = c - '0'
                number = if (number > (limit - digit) / 10) limit else number * 10 + digit
            }
            return number * unit
        }

        /** A number of a unit that has [places] in ns: digits, and maybe a point with digits on both sides. */
        private fun decimal(value: String, places: Int): Long {
            val unit = if (places == SECOND_DIGITS) SECOND else MILLI
            val point = value.indexOf('.')
            if (point < 0) return digits(value, unit)
            val whole = digits(value.substring(0, point), unit)
            val fraction = value.substring(point + 1)
            if (whole == UNREADABLE || digits(fraction, 1) == UNREADABLE) return UNREADABLE
            val nanos = digits(fraction.take(places).padEnd(places, '0'), 1)
            val rest = if (fraction.drop(places).any { it != '0' }) 1 else 0
            return if (whole > Long.MAX_VALUE - nanos - rest) Long.MAX_VALUE else whole + nanos + rest
        }

        /** From the server's own `Date`, which a wrong clock here cannot spoil; else from when the response came. */
        private fun untilDate(value: String, response: HttpOutcome): Long {
            val until = HttpDate.parse(value)?.toEpochMilli() ?: return UNREADABLE
            val from = response.sentAtEpochMillis() ?: response.receivedAtEpochMillis
            if (from == HttpOutcome.UNKNOWN_TIME) return UNREADABLE
            return (until - from).coerceIn(0, Long.MAX_VALUE / MILLI) * MILLI
        }
    }
}
