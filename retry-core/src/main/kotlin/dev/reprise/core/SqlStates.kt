package dev.reprise.core

/**
 * The verdict on an `SQLSTATE`. Class 08 and 40001 are the standard's (ISO/IEC 9075-2, SQLSTATE class and subclass codes), the
 * others PostgreSQL's (its manual, appendix A).
 */
internal object SqlStates {
    private val states: Map<String, Verdict> =
        listOf("40001", "40P01", "08001", "08004", "57P03").associateWith { failed(it, isUndone = true) } +
            listOf("57P01", "57P02").associateWith { failed(it, isUndone = false) } +
            mapOf("53300" to Verdict.Retry(FailureKind.THROTTLING, "SQLSTATE 53300", unsent = true))

    /** The verdict on [state], which came with the vendor's [code]; `null` for no opinion. */
    fun verdictOn(state: String?, code: Int = 0): Verdict? = when {
        state == null -> null
        code == DB2_SOCKET && state == "08001" -> failed(state, isUndone = false)
        state.startsWith("08") -> states[state] ?: failed("08xxx", isUndone = false)
        else -> states[state]
    }

    /** DB2's driver says 08001 of a connection that broke, at any moment, as well. */
    private const val DB2_SOCKET = -4499

    private fun failed(state: String, isUndone: Boolean) =
        Verdict.Retry(FailureKind.TRANSIENT, "SQLSTATE $state", unsent = isUndone)
}
