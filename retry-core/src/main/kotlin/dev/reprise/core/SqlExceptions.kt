package dev.reprise.core

import dev.reprise.core.shell.MAX_CAUSES
import java.sql.SQLException
import java.sql.SQLRecoverableException
import java.sql.SQLTimeoutException
import java.sql.SQLTransientException

/** The verdict on an `SQLException`. Loaded with the first one, since the module `java.sql` may be absent. */
internal object SqlExceptions {
    /** The verdict on [failure], which must be an `SQLException`, or `null` for no opinion. */
    fun verdictOn(failure: Throwable): Verdict? {
        var next: SQLException? = failure as SQLException
        var depth = 0
        // A batch tells in the exceptions behind it why it failed.
        while (next != null && depth++ < MAX_CAUSES) {
            SqlStates.verdictOn(next.sqlState, next.errorCode)?.let { return it }
            ofType(next)?.let { return it }
            next = next.nextException
        }
        return null
    }

    private fun ofType(failure: SQLException): Verdict? = when (failure) {
        is SQLTimeoutException -> Verdict.Retry(FailureKind.TIMEOUT, "SQL timeout")
        is SQLTransientException -> Verdict.Retry(FailureKind.TRANSIENT, "SQL transient")
        is SQLRecoverableException -> Verdict.Retry(FailureKind.TRANSIENT, "SQL recoverable")
        else -> null
    }
}
