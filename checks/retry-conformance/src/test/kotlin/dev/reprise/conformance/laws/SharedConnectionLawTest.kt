package dev.reprise.conformance.laws

import dev.reprise.core.Backoff
import dev.reprise.core.Classifier
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.coroutines.Retrier
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.test.runTest
import java.io.IOException
import kotlin.random.Random
import kotlin.time.Duration.Companion.milliseconds

/** A connection that answers all waiting callers every 5 ms; three answers in ten are one exception for all callers. */
private class Connection(private val random: Random) {
    private var next = CompletableDeferred<Int>()

    suspend fun ask(): Int = next.await()

    suspend fun answerForEver(): Nothing {
        while (true) {
            delay(5.milliseconds)
            val waited = next
            next = CompletableDeferred()
            if (random.nextInt(10) < 3) waited.completeExceptionally(IOException("lost")) else waited.complete(42)
        }
    }
}

/** Law: callers that share a failure make all their attempts, however many retriers there are. */
class SharedConnectionLawTest :
    FunSpec({
        val policy = RetryPolicy {
            maxAttempts = 3
            backoff = Backoff.IMMEDIATE
            quota = null
            classifier = Classifier.failures { Verdict.TRANSIENT }
        }

        for (count in listOf(1, 4, 8)) {
            test("of 3,000 calls of $count retriers on one connection none ends before its attempts") {
                val seed = Random.nextInt()
                withClue("seed $seed") {
                    runTest {
                        val random = Random(seed)
                        val connection = Connection(random)
                        val answers = backgroundScope.launch { connection.answerForEver() }
                        val retriers = List(count) { Retrier(policy) }
                        val ends = List(3_000) {
                            val at = random.nextLong(3_000)
                            async {
                                delay(at.milliseconds)
                                retriers[it % count].outcome { connection.ask() }
                            }
                        }.awaitAll()
                        answers.cancel()
                        val failed = ends.filterIsInstance<RetryOutcome.Failure>()
                        failed.isNotEmpty() shouldBe true
                        failed.map { it.reason to it.attempts }.toSet() shouldBe setOf(StopReason.ATTEMPTS to 3)
                    }
                }
            }
        }
    })
