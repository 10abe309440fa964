package dev.reprise.samples

import dev.reprise.core.RetrierCache
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Verdict
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.retry
import dev.reprise.presets.Presets
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.test.runTest
import java.io.IOException
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

private class StaleDataException : RuntimeException()

private class Api(private val failures: Int) {
    private var calls = 0

    fun fetch(id: Int): String = if (calls++ < failures) throw IOException("down") else "user $id"
}

/** The snippets of README and KDoc, run. */
class ReadmeTest :
    FunSpec({
        test("a plain retry") {
            runTest {
                val api = Api(failures = 1)
                val id = 7
                val user = retry { api.fetch(id) }
                user shouldBe "user 7"
            }
        }

        test("the first screen") {
            runTest {
                val api = Api(failures = 1)
                val id = 7
                val retrier = Retrier()
                val user = retrier { api.fetch(id) }
                user shouldBe "user 7"
            }
        }

        test("a retrier for each destination") {
            runTest {
                val api = Api(failures = 1)
                val host = "example.org"
                val id = 7
                val retriers = RetrierCache<String, Retrier>(capacity = 100) { Retrier(RetryPolicy.ADAPTIVE_STEADY) }
                val user = retriers[host] { api.fetch(id) }
                user shouldBe "user 7"
            }
        }

        test("a policy of your own") {
            val policy = RetryPolicy {
                maxAttempts = 5
                deadline = 40.seconds
                attemptTimeout = 2.seconds
                exponentialBackoff(base = 100.milliseconds, cap = 5.seconds)
                retryOn<StaleDataException>()
                onResult { if (it == "try again") Verdict.THROTTLING else null }
                honourRetryAfter(cap = 30.seconds)
            }
            runTest {
                val retrier = Retrier(policy)
                retrier { if (it.number == 1) throw StaleDataException() else "fresh" } shouldBe "fresh"
                retrier { if (it.number == 1) "try again" else "done" } shouldBe "done"
            }
        }

        test("the answer to five questions") {
            val policy = RetryPolicy.STANDARD_STEADY.with {
                attemptTimeout = 2.seconds
                deadline = 5.seconds
            }
            val retrier = Retrier(policy)
            retrier.policy.deadline shouldBe 5.seconds
        }

        test("presets by name") {
            val dynamo = Presets.named("standard-2.1", service = "dynamodb")
            val old = Presets.named("botocore-legacy")
            dynamo.maxAttempts shouldBe 4
            old.maxAttempts shouldBe 5
        }

        test("an outcome") {
            runTest {
                suspend fun ask(api: Api): String {
                    val retrier = Retrier()
                    return (
                        when (val outcome = retrier.outcome { api.fetch(7) }) {
                            is RetryOutcome.Success -> "got ${outcome.value} in ${outcome.attempts} attempts"
                            is RetryOutcome.BadResult -> "still not good: ${outcome.value}"
                            is RetryOutcome.Failure -> "gave up (${outcome.reason}): ${outcome.failure.message}"
                        }
                        )
                }
                ask(Api(failures = 1)) shouldBe "got user 7 in 2 attempts"
                ask(Api(failures = 9)) shouldBe "gave up (attempts): down"
            }
        }
    })
