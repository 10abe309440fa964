package dev.reprise.core.classify

/**
 * The headers in which servers ask to be left alone for a while. Header values are hostile input: what is not exactly in
 * the format is [UNREADABLE], what is too large saturates, and nothing throws.
 */
public enum class ServerDelayHeader(
    /** The header's name, in lower case. */
    public val headerName: String,
    /** The name in policy documents. */
    public val word: String,
) {
    /** `x-amz-retry-after`: ASCII digits, milliseconds. */
    AMZ_MILLIS("x-amz-retry-after", "x-amz-retry-after") {
        override fun parse(value: String, response: HttpOutcome): Long = digits(value, MILLI)
    },

    /** `Retry-After`: ASCII digits, seconds, or one of the three HTTP date forms. */
    RETRY_AFTER("retry-after", "retry-after") {
        override fun parse(value: String, response: HttpOutcome): Long {
            val seconds = digits(value, SECOND)
            return if (seconds != UNREADABLE) seconds else untilDate(value, response)
        }
    },

    /** `Retry-After` in seconds only; a date is unreadable. */
    RETRY_AFTER_SECONDS("retry-after", "retry-after-seconds") {
        override fun parse(value: String, response: HttpOutcome): Long = digits(value, SECOND)
    }, ;

    internal abstract fun parse(value: String, response: HttpOutcome): Long

    /** The wish of [response] in ns, [ABSENT] or [UNREADABLE]. */
    public fun read(response: HttpOutcome): Long {
        val value = response.header(headerName) ?: return ABSENT
        return parse(value.trim(' ', '\t'), response)
    }

    public companion object {
        /** The header is not there. */
        public const val ABSENT: Long = -1

        /** The header is there and cannot be read. */
        public const val UNREADABLE: Long = -2

        /** The header that policy documents call [word], or `null`. */
        @JvmStatic
        public fun named(word: String): ServerDelayHeader? = entries.find { it.word == word }

        private const val MILLI = 1_000_000L
        private const val SECOND = 1_000_000_000L

        private fun digits(value: String, unit: Long): Long {
            if (value.isEmpty()) return UNREADABLE
            val limit = Long.MAX_VALUE / unit
            var number = 0L
            for (c in value) {
                if (c !in '0'..'9') return UNREADABLE
                number = if (number > limit / 10) limit else minOf(limit, number * 10 + (c - '0'))
            }
            return number * unit
        }

        /** From the server's own `Date`, which a wrong clock here cannot spoil; else from when the response came. */
        private fun untilDate(value: String, response: HttpOutcome): Long {
            val until = HttpDate.parse(value)?.toEpochMilli() ?: return UNREADABLE
            val sent = response.header("date")?.let { HttpDate.parse(it.trim(' ', '\t')) }?.toEpochMilli()
            val from = sent ?: response.receivedAtEpochMillis
            if (from == HttpOutcome.UNKNOWN_TIME) return UNREADABLE
            return (until - from).coerceIn(0, Long.MAX_VALUE / MILLI) * MILLI
        }
    }
}
