package dev.reprise.core

import dev.reprise.core.shell.TypeCache
import dev.reprise.core.shell.firstOfCauses

/**
 * Classifies exceptions of JDBC and R2DBC: by `SQLSTATE`, then by type, through up to ten nested causes. Has no opinion on
 * other exceptions.
 *
 * | `SQLSTATE` or type | kind | nothing was done |
 * |---|---|---|
 * | 40001 serialization failure, 40P01 deadlock | transient | yes: rolled back |
 * | 08001, 08004, 57P03 no connection was made | transient | yes |
 * | 53300 too many connections | throttling | yes |
 * | other 08xxx, 57P01, 57P02, DB2's 08001 with its code -4499: the connection broke | transient | unknown |
 * | `SQLTimeoutException` | timeout | unknown |
 * | other `SQLTransientException`, `SQLRecoverableException` | transient | unknown |
 * | `R2dbcRollbackException` | transient | yes: rolled back |
 * | `R2dbcTimeoutException` | timeout | unknown |
 * | other `R2dbcTransientException` | transient | unknown |
 *
 * After a connection broke during `COMMIT`, the transaction may have been done; such a failure is never
 * [unsent][Verdict.Retry.unsent]. A retry repeats the attempt, so make a whole transaction one attempt. See
 * `docs/databases.md`.
 *
 * Works without the module `java.sql`; there are no such exceptions then.
 */
public object SqlErrors : NamesRejections {
    private const val JDBC = "java.sql.SQLException"
    private const val R2DBC = "io.r2dbc.spi.R2dbcException"

    /** The one of these that a class extends, or "". By name, so that nothing of either is linked before an exception is there. */
    private val bases = TypeCache { type ->
        generateSequence(type) { it.superclass }.map { it.name }.find { it == JDBC || it == R2DBC }.orEmpty()
    }

    override fun classifyFailure(failure: Throwable): Verdict? = firstOfCauses(failure) {
        when (bases[it.javaClass]) {
            JDBC -> SqlExceptions.verdictOn(it)
            R2DBC -> R2dbcExceptions.verdictOn(it)
            else -> null
        }
    }

    override val resultScope: ResultScope get() = ResultScope.NONE

    override fun toString(): String = "sql"
}
