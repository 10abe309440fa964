package dev.reprise.samples

import dev.reprise.core.RetryPolicy
import dev.reprise.core.SqlErrors
import dev.reprise.coroutines.Retrier
import dev.reprise.java.JavaRetrier
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.test.runTest
import org.h2.jdbcx.JdbcDataSource
import org.jetbrains.exposed.v1.core.DatabaseConfig
import org.jetbrains.exposed.v1.exceptions.ExposedSQLException
import org.jetbrains.exposed.v1.jdbc.Database
import org.jetbrains.exposed.v1.jdbc.JdbcTransaction
import org.jetbrains.exposed.v1.jdbc.transactions.suspendTransaction
import org.jetbrains.exposed.v1.jdbc.transactions.transaction
import org.jooq.SQLDialect
import org.jooq.impl.DSL
import java.sql.SQLException
import java.util.UUID

/** A table of payments in H2, with a function `collide()` that fails the transactions which call it first. */
internal class Payments(private var collisions: Int) {
    val dataSource = JdbcDataSource().apply { setURL("jdbc:h2:mem:${UUID.randomUUID()};DB_CLOSE_DELAY=-1") }
    var transactions = 0
        private set

    init {
        dataSource.connection.use {
            it.createStatement().execute("create table payment(amount int)")
            it.createStatement().execute("create alias collide for 'dev.reprise.samples.Payments.collide'")
        }
    }

    /** Inserts a payment by [execute], then fails as a database does that has rolled a transaction back. */
    fun insert(execute: (String) -> Unit) {
        transactions++
        execute("insert into payment values (7)")
        if (collisions-- > 0) execute("call collide()")
    }

    fun count(): Int = dataSource.connection.use { connection ->
        connection.createStatement().executeQuery("select count(*) from payment").use {
            it.next()
            it.getInt(1)
        }
    }

    companion object {
        @JvmStatic
        fun collide(): Int = throw SQLException("could not serialize access", "40001")
    }
}

/** The transactions of Exposed and jOOQ in the guide to databases, each one attempt. */
class DatabaseLibrariesTest :
    FunSpec({
        val policy = RetryPolicy {
            classifyFirst(SqlErrors)
            noBackoff()
        }

        test("Exposed: a collision is retried from outside, and nothing of the first transaction stays") {
            val payments = Payments(collisions = 1)
            val dataSource = payments.dataSource
            fun JdbcTransaction.insertPayment() = payments.insert { exec(it) }
            val retrier = Retrier(policy)

            val database = Database.connect(dataSource, databaseConfig = DatabaseConfig { defaultMaxAttempts = 1 })
            runTest {
                val paid = retrier { suspendTransaction(database) { insertPayment() } }
                paid shouldBe Unit
            }

            payments.transactions shouldBe 2
            payments.count() shouldBe 1
        }

        test("Exposed's own attempts multiply with those of a retrier unless they are set to 1") {
            val payments = Payments(collisions = 100)
            val database = Database.connect(payments.dataSource)
            val retrier = Retrier(policy)
            runTest {
                shouldThrow<ExposedSQLException> {
                    retrier { transaction(database) { payments.insert { exec(it) } } }
                }
            }
            payments.transactions shouldBe 9
            payments.count() shouldBe 0
        }

        test("jOOQ: a collision is retried from outside, and nothing of the first transaction stays") {
            val payments = Payments(collisions = 1)
            val dsl = DSL.using(payments.dataSource, SQLDialect.H2)
            JooqSample(JavaRetrier.of(policy), dsl) { transaction -> payments.insert { transaction.execute(it) } }.pay()

            payments.transactions shouldBe 2
            payments.count() shouldBe 1
        }
    })
