package dev.reprise.lab.fleet

import dev.reprise.virtualtime.Chance

/** A time in which a server fails. Times in seconds. */
internal class Failure(
    val kind: Kind,
    val from: Double,
    /** When it ends; `null` for a failure that stays. */
    val to: Double?,
    /** The share of the requests that it hits: 1 for an outage, a half for a brown-out, a little for errors in the background. */
    val share: Double,
    /** The operation that it hits, by number; `null` for all. */
    val operation: Int?,
    /** How many times as long an answer takes; of [Kind.SLOW] only. */
    val factor: Double = 1.0,
) {
    enum class Kind(val word: String) {
        ERROR("error"),

        /** The server takes requests and loses them: no answer, and no work. */
        STALL("stall"),

        /** The server stops working, and continues with its queue when it is back. */
        FREEZE("freeze"),

        SLOW("slow"),
    }

    val begin = nanosOf(from)

    /** When it ends, in ns; [Reply.NEVER] for never. */
    val end: Long = to?.let(::nanosOf) ?: Reply.NEVER

    /** Whether it hits a request of [operation] that is at the server at [now], in ns. Draws only where chance decides. */
    fun hits(now: Long, operation: Int, chance: Chance): Boolean = now >= begin && now < end &&
        (this.operation == null || this.operation == operation) &&
        (share >= 1 || chance.uniform() < share)
}
