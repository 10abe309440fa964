package dev.reprise.samples

import dev.reprise.core.CallOptions
import dev.reprise.core.Repeat
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SqlErrors
import dev.reprise.coroutines.Retrier
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import kotlinx.coroutines.test.runTest
import java.lang.reflect.Proxy
import java.sql.Connection
import java.sql.SQLException
import javax.sql.DataSource
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

fun <T> DataSource.transaction(work: (Connection) -> T): T = connection.use { connection ->
    connection.autoCommit = false
    try {
        work(connection).also { connection.commit() }
    } catch (e: Throwable) {
        runCatching { connection.rollback() }.onFailure(e::addSuppressed)
        throw e
    }
}

private fun Connection.insertPayment() = Unit

/** The snippets of the guide to databases, run; `workshop/retry-databases` has a real one. */
class DatabasesPageTest :
    FunSpec({
        /** A database whose commits fail with these states, one after another, and work then. */
        fun databaseThatFails(vararg states: String): DataSource {
            val left = states.toMutableList()
            fun <T> proxy(type: Class<T>, answer: (String) -> Any?): T {
                val types = arrayOf<Class<*>>(type)
                return type.cast(
                    Proxy.newProxyInstance(type.classLoader, types) { _, method, _ ->
                        answer(method.name)
                    },
                )
            }
            val connection = proxy(Connection::class.java) { method ->
                if (method == "commit" && left.isNotEmpty()) throw SQLException("failed", left.removeFirst())
                null
            }
            return proxy(DataSource::class.java) { connection }
        }

        val policy = RetryPolicy {
            maxAttempts = 10
            deadline = 10.seconds
            exponentialBackoff(base = 5.milliseconds, cap = 200.milliseconds)
            quota = null
            classifyFirst(SqlErrors)
        }
        val retrier = Retrier(policy)

        test("collisions are repeated, a commit whose answer was lost is not") {
            runTest {
                suspend fun pay(database: DataSource): RetryOutcome<Unit> {
                    val pay = CallOptions("pay").with { repeat = Repeat.IF_UNSENT }
                    val paid = retrier.outcome(pay) { database.transaction { it.insertPayment() } }
                    return paid
                }
                val collided = pay(databaseThatFails("40001", "40P01"))
                collided.shouldBeInstanceOf<RetryOutcome.Success<Unit>>().attempts shouldBe 3
                val lost = pay(databaseThatFails("08006"))
                lost.shouldBeInstanceOf<RetryOutcome.Failure>().attempts shouldBe 1
            }
        }
    })
