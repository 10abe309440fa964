package dev.reprise.core.classify

/**
 * Classifies what a database throws through JDBC: by the exception's `SQLSTATE`, then by its type, through up to ten nested
 * causes. Has no opinion on anything else.
 *
 * | `SQLSTATE` or type | kind | nothing was done |
 * |---|---|---|
 * | 40001 serialization failure, 40P01 deadlock | transient | yes: rolled back |
 * | 08001, 08004, 57P03 no connection was made | transient | yes |
 * | 53300 too many connections | throttling | yes |
 * | other 08xxx, 57P01, 57P02 the connection broke | transient | unknown |
 * | `SQLTimeoutException` | timeout | unknown |
 * | other `SQLTransientException`, `SQLRecoverableException` | transient | unknown |
 *
 * A connection that breaks during `COMMIT` leaves open whether the transaction was done; that is never taken for
 * [unsent][Verdict.Retry.unsent]. What is repeated is the attempt, so make a whole transaction one attempt. See
 * `docs/databases.md`.
 *
 * Works without the module `java.sql`, of which it then meets no exception.
 */
public object SqlErrors : Classifier {
    /** By name, so that nothing of `java.sql` is linked before one of its exceptions is there. */
    private val isSql =
        object : ClassValue<Boolean>() {
            override fun computeValue(type: Class<*>): Boolean =
                generateSequence(type) { it.superclass }.any { it.name == "java.sql.SQLException" }
        }

    override fun classifyFailure(failure: Throwable): Verdict? =
        firstOfCauses(failure) { if (isSql[it.javaClass]) SqlStates.verdictOn(it) else null }

    override val resultScope: ResultScope get() = ResultScope.NONE

    override fun toString(): String = "sql"
}
