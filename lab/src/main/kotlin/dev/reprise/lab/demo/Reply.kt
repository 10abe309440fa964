package dev.reprise.lab.demo

/** What [FaultyServer] does with one request. */
internal sealed class Reply {
    /** Answers with [status] and [headers]. */
    class Answer(val status: Int, vararg val headers: Pair<String, String>) : Reply()

    /** Begins to answer and drops the connection: the client sees a reset. */
    object Reset : Reply()

    /** Takes the request and says nothing until the client hangs up. */
    object Stall : Reply()
}
