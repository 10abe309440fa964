package dev.reprise.lab.fleet

import dev.reprise.core.classify.HttpOutcome

/** A simulated server's answer, or the caller's view of a missing one. */
internal class Answer(
    /** Its meaning for the figures. */
    val kind: Kind,
    override val status: Int,
    override val errorCode: String? = null,
    /** The value of the header `Retry-After`, or `null` for none. */
    private val retryAfter: String? = null,
) : HttpOutcome() {
    enum class Kind {
        /** The work was done. */
        GOOD,

        /** The server failed. */
        BROKEN,

        /** The server turned the request away unseen. */
        REFUSED,

        /** The caller has waited as long as it may. */
        TIMED_OUT,
    }

    override fun header(name: String): String? = retryAfter.takeIf { name.equals("retry-after", ignoreCase = true) }

    override fun toString(): String = "$status${errorCode?.let { " $it" }.orEmpty()}"

    companion object {
        val OK = Answer(Kind.GOOD, 200)
        val BROKEN = Answer(Kind.BROKEN, 500)

        /** No answer in time. Has no status: the engine sees a timeout. */
        val TIMED_OUT = Answer(Kind.TIMED_OUT, 0)
    }
}

/** A server's answer and its time. Belongs to one caller, who reuses it. */
internal class Reply {
    /** When the answer comes, in ns; [NEVER] for never. */
    var at = 0L

    var answer: Answer = Answer.OK

    companion object {
        const val NEVER = Long.MAX_VALUE
    }
}
