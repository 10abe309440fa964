package dev.reprise.core

/** The verdict on an `R2dbcException`. */
internal object R2dbcExceptions {
    private val types = ExceptionTable(
        ExceptionRule(FailureKind.TRANSIENT, "io.r2dbc.spi.R2dbcRollbackException", unsent = true),
        ExceptionRule(FailureKind.TIMEOUT, "io.r2dbc.spi.R2dbcTimeoutException"),
        ExceptionRule(FailureKind.TRANSIENT, "io.r2dbc.spi.R2dbcTransientException"),
        depth = 1,
    )

    /** What `R2dbcException.toString` writes before the message: the vendor's code unless it is 0, and the state. */
    private val STATE = Regex("[^:]*+: (?:\\[-?+\\d++] (?=\\[))?+\\[([0-9A-Z]{5})]")

    /**
     * The verdict on [failure], or `null` for no opinion. The state comes first, since drivers do not agree on the types: that for
     * PostgreSQL has a broken connection and a full server as not transient. It is read from the text, which takes no dependency.
     */
    fun verdictOn(failure: Throwable): Verdict? {
        val state = STATE.matchAt(failure.toString(), 0)?.groupValues?.get(1)
        return SqlStates.verdictOn(state) ?: types.classifyFailure(failure)
    }
}
