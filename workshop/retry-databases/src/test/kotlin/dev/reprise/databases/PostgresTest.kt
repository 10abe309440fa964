package dev.reprise.databases

import dev.reprise.core.CallOptions
import dev.reprise.core.RetryOutcome
import dev.reprise.core.SqlErrors
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.java.JavaRetrier
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.ints.shouldBeGreaterThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import java.sql.Connection
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CyclicBarrier
import java.util.concurrent.TimeUnit
import kotlin.random.Random

/** Real transactions against a real server. With `-Dnightly` more of them, and a server that crashes under them. */
class PostgresTest :
    FunSpec({
        val isNightly = System.getProperty("nightly") != null
        val server = PostgresServer()
        afterSpec { server.close() }

        test("serializable transactions that collide are all done, each of them once") {
            val bank = Bank(server.url())
            bank.open(accounts = 4)
            val figures = Figures(bank, accounts = 4)
            figures.run(clients = 8, each = if (isNightly) 1_000 else 15)
            println("collisions: $figures")
            figures.succeeded shouldBe figures.transactions
            figures.collisions shouldBeGreaterThan 0
            figures.lost() shouldBe 0
            figures.doubled() shouldBe 0
            figures.total() shouldBe 4 * 1000
        }

        test("of two transactions that wait for each other both are done in the end") {
            val bank = Bank(server.url(), Connection.TRANSACTION_READ_COMMITTED)
            bank.open(accounts = 2)
            val bothHoldOne = CyclicBarrier(2)
            val attempts = listOf(1 to 2, 2 to 1).map { (first, second) ->
                CompletableFuture.supplyAsync {
                    JavaRetrier.of(TRANSACTIONS).withOptions(ONCE).outcomeWithAttempt<Int> { attempt ->
                        bank.transaction {
                            it.update("update account set balance = balance + 1 where id = $first")
                            if (attempt.number == 1) bothHoldOne.await(10, TimeUnit.SECONDS)
                            it.update("update account set balance = balance + 1 where id = $second")
                        }
                    }
                }
            }.map { it.join().shouldBeInstanceOf<RetryOutcome.Success<Int>>().attempts }
            attempts.sum() shouldBe 3
            bank.number("select sum(balance) from account") shouldBe 2_004
        }

        for (cut in Cut.entries) {
            test("a commit that is cut ($cut) looks the same to the client either way, and is not repeated") {
                CommitCutter(server.port).use { between ->
                    val direct = Bank(server.url()).apply { open(accounts = 2) }
                    val bank = Bank(server.url(between.port))

                    fun transfer(options: CallOptions): RetryOutcome<Unit> {
                        between.cutNext(cut)
                        return JavaRetrier.of(TRANSACTIONS).withOptions(options).outcome {
                            bank.transaction { bank.transfer(it, 7, 1, 2, 1) }
                        }
                    }
                    val done = if (cut == Cut.BEFORE_ANSWER) 1L else 0L
                    val once = transfer(ONCE).shouldBeInstanceOf<RetryOutcome.Failure>()
                    once.reason shouldBe StopReason.NOT_REPLAYABLE
                    (SqlErrors.classifyFailure(once.failure) as Verdict.Retry).unsent shouldBe false
                    direct.number("select count(*) from ledger") shouldBe done

                    // Repeated all the same, it is done twice where the answer was lost.
                    transfer(CallOptions("transfer")).attempts shouldBe 2
                    direct.number("select count(*) from ledger") shouldBe done + done + 1
                }
            }
        }

        test("with a key of its own a transaction can be repeated whatever was lost, and is done once") {
            CommitCutter(server.port).use { between ->
                val direct = Bank(server.url()).apply { open(accounts = 2) }
                direct.transaction { it.update("create unique index on ledger(id)") }
                val bank = Bank(server.url(between.port))
                for ((id, cut) in (1L..6L).zip(List(3) { Cut.entries }.flatten())) {
                    between.cutNext(cut)
                    JavaRetrier.of(TRANSACTIONS).outcome<Unit> {
                        bank.transaction { connection ->
                            val insert = "insert into ledger values ($id, 1) on conflict do nothing"
                            val isNew = connection.update(insert) == 1
                            if (isNew) connection.update("update account set balance = balance - 1 where id = 1")
                        }
                    }.attempts shouldBe 2
                }
                direct.number("select count(*) from ledger") shouldBe 6
                direct.number("select balance from account where id = 1") shouldBe 1000 - 6
            }
        }

        // Each crash takes seconds, most of them the server's own to come back.
        if (isNightly) {
            test("a server that is killed under load and comes back has lost nothing, and nothing is there twice") {
                val bank = Bank(server.url())
                bank.open(accounts = 4)
                val figures = Figures(bank, accounts = 4)
                val random = Random(25)
                repeat(20) { round ->
                    val before = figures.transactions
                    figures.run(clients = 8, each = 25) {
                        val mark = before + random.nextInt(10, 120)
                        while (figures.transactions < mark) Thread.onSpinWait()
                        server.crash()
                        server.restart()
                    }
                    withClue("round $round: $figures") {
                        figures.lost() shouldBe 0
                        figures.doubled() shouldBe 0
                        figures.total() shouldBe 4 * 1000
                    }
                }
                println("crashes: $figures")
                figures.succeeded shouldBeGreaterThanOrEqual figures.transactions / 2
            }
        }
    })
