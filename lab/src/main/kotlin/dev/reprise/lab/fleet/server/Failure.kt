package dev.reprise.lab.fleet.server

import dev.reprise.lab.fleet.kernel.Chance

/** A time in which a server fails. Times in ns. */
internal class Failure(
    val kind: Kind,
    val from: Long,
    /** When it ends; [Reply.NEVER] for a failure that stays. */
    val to: Long,
    /** Which share of the requests it hits: 1 for an outage, a half for a brown-out, a little for errors in the background. */
    val share: Double,
    /** Which operation it hits, by number; [ALL] for all. */
    val operation: Int,
    /** How many times as long an answer takes; of [Kind.SLOW] only. */
    val factor: Double = 1.0,
) {
    enum class Kind(val word: String) {
        /** The server answers with a 500. */
        ERROR("error"),

        /** The server takes requests and loses them: no answer, and no work. */
        STALL("stall"),

        /** The server stops working, and goes on with what has queued up when it is back. */
        FREEZE("freeze"),

        /** Answers take longer. */
        SLOW("slow"),
    }

    /** Whether it hits a request of [operation] that is at the server at [now]. Draws only where chance decides. */
    fun hits(now: Long, operation: Int, chance: Chance): Boolean = now in from until to &&
        (this.operation == ALL || this.operation == operation) &&
        (share >= 1 || chance.uniform() < share)

    companion object {
        const val ALL = -1
    }
}
