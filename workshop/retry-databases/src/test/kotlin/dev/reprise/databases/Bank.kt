package dev.reprise.databases

import dev.reprise.java.JavaRetrier
import java.sql.Connection
import java.sql.DriverManager
import java.sql.SQLException

/** Accounts, and a ledger of the transfers between them in which a transfer that is done twice stands twice. */
class Bank(private val url: String, private val isolation: Int = Connection.TRANSACTION_SERIALIZABLE) {
    private val connections = ThreadLocal<Connection>()
    private val reader = JavaRetrier.of(TRANSACTIONS)

    /** Makes the tables anew. */
    fun open(accounts: Int) = transaction { connection ->
        connection.createStatement().use {
            it.execute("drop table if exists account, ledger")
            it.execute("create table account(id int primary key, balance bigint not null)")
            it.execute("create table ledger(id bigint not null, amount bigint not null)")
            it.execute("insert into account select i, 1000 from generate_series(1, $accounts) i")
        }
    }

    /** Moves [amount] from one account to another, by what was read of both. */
    fun transfer(connection: Connection, id: Long, from: Int, to: Int, amount: Long) {
        val before = listOf(from, to).map { account ->
            connection.number("select balance from account where id = $account")
        }
        connection.update("update account set balance = ${before[0] - amount} where id = $from")
        connection.update("update account set balance = ${before[1] + amount} where id = $to")
        connection.update("insert into ledger values ($id, $amount)")
    }

    /** One transaction, which is one attempt: it begins, does [work] and commits, or is rolled back. */
    fun <T> transaction(work: (Connection) -> T): T {
        val connection = connection()
        try {
            return work(connection).also { connection.commit() }
        } catch (e: Throwable) {
            try {
                connection.rollback()
            } catch (broken: SQLException) {
                e.addSuppressed(broken)
                connection.close()
            }
            throw e
        }
    }

    /** What [work] reads in a transaction of its own, once the server is there. */
    fun <T> read(work: (Connection) -> T): T = reader.call<T, SQLException> { transaction(work) }

    /** A number that a query tells. */
    fun number(query: String): Long = read { it.number(query) }

    /** The connection of this thread, a new one if that is broken. */
    private fun connection(): Connection {
        connections.get()?.takeUnless { it.isClosed }?.let { return it }
        val connection = DriverManager.getConnection(url)
        connection.autoCommit = false
        connection.transactionIsolation = isolation
        connections.set(connection)
        return connection
    }
}

fun Connection.update(statement: String): Int = createStatement().use { it.executeUpdate(statement) }

fun Connection.number(query: String): Long = createStatement().use { statement ->
    statement.executeQuery(query).use {
        it.next()
        it.getLong(1)
    }
}
