package dev.reprise.core

import dev.reprise.core.shell.firstOfCauses

/**
 * Classifies JDBC exceptions: by `SQLSTATE`, then by type, through up to ten nested causes. Has no opinion on other
 * exceptions.
 *
 * | `SQLSTATE` or type | kind | nothing was done |
 * |---|---|---|
 * | 40001 serialization failure, 40P01 deadlock | transient | yes: rolled back |
 * | 08001, 08004, 57P03 no connection was made | transient | yes |
 * | 53300 too many connections | throttling | yes |
 * | other 08xxx, 57P01, 57P02, DB2's 08001 with its code -4499: the connection broke | transient | unknown |
 * | `SQLTimeoutException` | timeout | unknown |
 * | other `SQLTransientException`, `SQLRecoverableException` | transient | unknown |
 *
 * After a connection broke during `COMMIT`, the transaction may have been done; such a failure is never
 * [unsent][Verdict.Retry.unsent]. A retry repeats the attempt, so make a whole transaction one attempt. See
 * `docs/databases.md`.
 *
 * Works without the module `java.sql`; there are no such exceptions then.
 */
public object SqlErrors : Classifier {
    /** By name, so that nothing of `java.sql` is linked before one of its exceptions is there. */
    private object IsSql : ClassValue<Boolean>() {
        override fun computeValue(type: Class<*>): Boolean =
            generateSequence(type) { it.superclass }.any { it.name == "java.sql.SQLException" }
    }

    override fun classifyFailure(failure: Throwable): Verdict? =
        firstOfCauses(failure) { if (IsSql[it.javaClass]) SqlStates.verdictOn(it) else null }

    override val resultScope: ResultScope get() = ResultScope.NONE

    override fun toString(): String = "sql"
}
