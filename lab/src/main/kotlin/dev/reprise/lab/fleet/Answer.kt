package dev.reprise.lab.fleet

import dev.reprise.core.HttpOutcome

/** A simulated server's answer, or the caller's view of a missing one. */
internal class Answer(
    override val status: Int,
    override val errorCode: String? = null,
    /** By names in lower case. */
    private val headers: Map<String, String> = emptyMap(),
    /** Whether the server turned the request away unseen. */
    val isRefused: Boolean = false,
) : HttpOutcome() {
    override fun header(name: String): String? = headers[name.lowercase()]

    override fun toString(): String = "$status${errorCode?.let { " $it" }.orEmpty()}"

    companion object {
        val OK = Answer(200)
        val BROKEN = Answer(500)

        /** No answer in time. Has no status: the engine sees a timeout. */
        val TIMED_OUT = Answer(0)
    }
}

/** A server's [answer], which comes [at] a moment in ns. */
internal class Reply(val at: Long, val answer: Answer) {
    companion object {
        /** When a lost answer comes. */
        const val NEVER = Long.MAX_VALUE
        val LOST = Reply(NEVER, Answer.TIMED_OUT)
    }
}
