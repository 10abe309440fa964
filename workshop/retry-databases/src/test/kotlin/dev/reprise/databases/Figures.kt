package dev.reprise.databases

import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.Repeat
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SqlErrors
import dev.reprise.java.JavaRetrier
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.Executors
import java.util.concurrent.Future
import java.util.concurrent.atomic.AtomicInteger
import kotlin.random.Random
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes

/** How transactions are retried here: until they are done. Collisions cost the server little, and quotas are for outages. */
val TRANSACTIONS: RetryPolicy = RetryPolicy {
    unlimitedAttempts()
    deadline = 2.minutes
    quota = null
    backoff = Backoff.exponential(2.milliseconds, cap = 100.milliseconds)
    classifier = SqlErrors
}

/** A transaction that may be done once, and is repeated where it is certain that it was not done. */
val ONCE: CallOptions = CallOptions("transfer").with { repeat = Repeat.IF_UNSENT }

/** What clients of a [Bank] did, and what of it stands in the ledger. */
class Figures(private val bank: Bank, private val accounts: Int) {
    private val outcomes = ConcurrentHashMap<Long, RetryOutcome<Unit>>()
    private val reasons = ConcurrentHashMap<String, AtomicInteger>()
    private val counting = RetryListener { event ->
        if (event is RetryEvent.AttemptFailed) {
            val why = "${event.verdict}".substringAfter(": ").substringBefore(")")
            reasons.getOrPut(why) { AtomicInteger() }.incrementAndGet()
        }
    }
    private val retrier = JavaRetrier.builder().policy(TRANSACTIONS).listener(counting).build()

    /** How many attempts failed because of a collision. */
    val collisions: Int get() = reasons.filterKeys { "40001" in it || "40P01" in it }.values.sumOf { it.get() }

    /** How many transactions ended, and how. */
    val transactions: Int get() = outcomes.size
    val succeeded: Int get() = outcomes.values.count { it is RetryOutcome.Success }

    /** Those that failed and may have been done. */
    val unknown: Int get() = transactions - succeeded

    /** [clients] threads that make [each] random transfers, while this thread does [meanwhile]. */
    fun run(clients: Int, each: Int, meanwhile: () -> Unit = {}) {
        val first = outcomes.size.toLong()
        val pool = Executors.newFixedThreadPool(clients)
        val running = (0 until clients).map { client ->
            pool.submit {
                val random = Random(client)
                for (n in 0 until each) {
                    val id = first + client * each + n
                    val from = random.nextInt(1, accounts + 1)
                    val to = from % accounts + 1
                    outcomes[id] = retrier.withOptions(ONCE).outcome {
                        bank.transaction { bank.transfer(it, id, from, to, random.nextLong(1, 10)) }
                    }
                }
            }
        }
        try {
            meanwhile()
            running.forEach(Future<*>::get)
        } finally {
            pool.shutdownNow()
        }
    }

    /** Transfers that were told as done and are not there. */
    fun lost(): Int {
        val there = ids()
        return outcomes.count { (id, outcome) -> outcome is RetryOutcome.Success && id !in there }
    }

    /** Transfers that were told as failed and are there. */
    fun doneUnnoticed(): Int {
        val there = ids()
        return outcomes.count { (id, outcome) -> outcome !is RetryOutcome.Success && id in there }
    }

    /** Transfers that are there more than once. */
    fun doubled(): Long = bank.number("select count(*) - count(distinct id) from ledger")

    /** What all accounts have, which transfers do not change. */
    fun total(): Long = bank.number("select sum(balance) from account")

    private fun ids(): Set<Long> = bank.read { connection ->
        connection.createStatement().use { statement ->
            statement.executeQuery("select id from ledger").use { rows ->
                buildSet { while (rows.next()) add(rows.getLong(1)) }
            }
        }
    }

    override fun toString(): String = "$transactions transactions, $collisions collisions, $unknown of unknown end " +
        "(${doneUnnoticed()} of them done), ${lost()} lost, ${doubled()} doubled; failed attempts: " +
        reasons.toSortedMap().entries.joinToString { (why, count) -> "$why $count" }
}
