package dev.reprise.core

import dev.reprise.core.shell.MAX_CAUSES
import java.sql.SQLException
import java.sql.SQLRecoverableException
import java.sql.SQLTimeoutException
import java.sql.SQLTransientException

/**
 * The verdict on an `SQLException`. Loaded with the first one, since the module `java.sql` may be absent.
 *
 * Class 08 and 40001 are the standard's (ISO/IEC 9075-2, SQLSTATE class and subclass codes), the others PostgreSQL's
 * (its manual, appendix A).
 */
internal object SqlStates {
    private val states: Map<String, Verdict> =
        listOf("40001", "40P01", "08001", "08004", "57P03").associateWith { failed(it, isUndone = true) } +
            listOf("57P01", "57P02").associateWith { failed(it, isUndone = false) } +
            mapOf("53300" to Verdict.Retry(FailureKind.THROTTLING, "SQLSTATE 53300", unsent = true))

    /** The verdict on [failure], which must be an `SQLException`, or `null` for no opinion. */
    fun verdictOn(failure: Throwable): Verdict? {
        var next: SQLException? = failure as SQLException
        var depth = 0
        // A batch tells in the exceptions behind it why it failed.
        while (next != null && depth++ < MAX_CAUSES) {
            ofState(next.sqlState, next.errorCode)?.let { return it }
            ofType(next)?.let { return it }
            next = next.nextException
        }
        return null
    }

    private fun ofState(state: String?, code: Int): Verdict? = when {
        state == null -> null
        code == DB2_SOCKET && state == "08001" -> failed(state, isUndone = false)
        state.startsWith("08") -> states[state] ?: failed("08xxx", isUndone = false)
        else -> states[state]
    }

    private fun ofType(failure: SQLException): Verdict? = when (failure) {
        is SQLTimeoutException -> Verdict.Retry(FailureKind.TIMEOUT, "SQL timeout")
        is SQLTransientException -> Verdict.Retry(FailureKind.TRANSIENT, "SQL transient")
        is SQLRecoverableException -> Verdict.Retry(FailureKind.TRANSIENT, "SQL recoverable")
        else -> null
    }

    /** DB2's driver says 08001 of a connection that broke, at any moment, as well. */
    private const val DB2_SOCKET = -4499

    private fun failed(state: String, isUndone: Boolean) =
        Verdict.Retry(FailureKind.TRANSIENT, "SQLSTATE $state", unsent = isUndone)
}
