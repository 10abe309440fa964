package dev.reprise.redis

/** The server's statement about the send rate. */
internal class RateReply(
    /** Whether no limit is needed. */
    val isOff: Boolean,
    /** How many slots were handed out. */
    val slots: Int,
    /** When the first of them is, in ns from the reply. */
    val firstNanos: Long,
    val gapNanos: Double,
    /** After how many ns to ask again where there was no slot within the horizon. */
    val againNanos: Long,
    val generation: String,
    /** The fleet's rate, in attempts a second. */
    val rate: Double,
    /** How many clients take part. */
    val clients: Int,
) {
    companion object {
        private const val MICRO = 1_000L

        fun of(reply: List<String>) = RateReply(
            isOff = reply[0] == "1",
            slots = reply[1].toInt(),
            firstNanos = reply[2].toLong() * MICRO,
            gapNanos = reply[3].toDouble(),
            againNanos = reply[4].toLong() * MICRO,
            generation = reply[5],
            rate = reply[6].toDouble(),
            clients = reply[7].toInt(),
        )
    }
}
