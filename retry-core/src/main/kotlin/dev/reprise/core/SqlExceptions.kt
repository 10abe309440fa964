package dev.reprise.core

import dev.reprise.core.shell.MAX_CAUSES
import java.sql.SQLException
import java.sql.SQLRecoverableException
import java.sql.SQLTimeoutException
import java.sql.SQLTransientException

/** The verdict on an `SQLException`. Loaded with the first one, since the module `java.sql` may be absent. */
internal object SqlExceptions {
    /** The verdict on [failure], which must be an `SQLException`, or `null` for no opinion. */
    fun verdictOn(failure: Throwable): Verdict? = // A batch tells in the exceptions behind it why it failed.
        generateSequence(failure as SQLException) { it.nextException }.take(MAX_CAUSES)
            .firstNotNullOfOrNull { SqlStates.verdictOn(it.sqlState, it.errorCode) ?: ofType(it) }

    private fun ofType(failure: SQLException): Verdict? = when (failure) {
        is SQLTimeoutException -> Verdict.Retry(FailureKind.TIMEOUT, "SQL timeout")
        is SQLTransientException -> Verdict.Retry(FailureKind.TRANSIENT, "SQL transient")
        is SQLRecoverableException -> Verdict.Retry(FailureKind.TRANSIENT, "SQL recoverable")
        else -> null
    }
}
