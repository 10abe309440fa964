package dev.reprise.samples.migrating

import arrow.core.Either
import arrow.resilience.Schedule
import arrow.resilience.retry
import com.github.michaelbull.retry.policy.binaryExponentialBackoff
import com.github.michaelbull.retry.policy.continueIf
import com.github.michaelbull.retry.policy.plus
import com.github.michaelbull.retry.policy.stopAtAttempts
import com.github.michaelbull.retry.retry
import dev.reprise.core.Jitter
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Verdict
import dev.reprise.coroutines.Retrier
import dev.reprise.samples.migrating.Api.Step.BROKEN
import dev.reprise.samples.migrating.Api.Step.DOWN
import dev.reprise.samples.migrating.Api.Step.FOUND
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.test.currentTime
import kotlinx.coroutines.test.runTest
import java.io.IOException
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

private class KotlinRetryUsers(private val api: Api) {
    private val policy = continueIf<Throwable> { it.failure is IOException } +
        binaryExponentialBackoff(min = 10, max = 1_000) +
        stopAtAttempts(4)

    suspend fun user(id: String): String = retry(policy) { api.fetch(id) }
}

private class AfterKotlinRetryUsers(private val api: Api) {
    private val policy = RetryPolicy {
        retryOn<IOException>()
        exponentialBackoff(base = 10.milliseconds, cap = 1.seconds, jitter = Jitter.NONE)
        maxAttempts = 4
    }
    private val retrier = Retrier(policy)

    suspend fun user(id: String): String = retrier { api.fetch(id) }
}

private class ArrowUsers(private val api: Api) {
    private val schedule = Schedule
        .exponential<Throwable>(10.milliseconds)
        .and(Schedule.recurs(3))
        .doWhile { failure, _ -> failure is IOException }

    suspend fun user(id: String): String = schedule.retry { api.fetch(id) }
}

private class AfterArrowUsers(private val api: Api) {
    private val policy = RetryPolicy {
        exponentialBackoff(base = 10.milliseconds, jitter = Jitter.NONE)
        maxAttempts = 4
        retryOn<IOException>()
    }
    private val retrier = Retrier(policy)

    suspend fun user(id: String): String = retrier { api.fetch(id) }
}

private class AfterArrowEithers(private val api: Api) {
    private val policy = RetryPolicy {
        onResult { if (it is Either.Left<*> && it.value is IOException) Verdict.TRANSIENT else null }
    }
    private val eithers = Retrier(policy)

    suspend fun user(id: String): Either<Throwable, String> = eithers { Either.catch { api.fetch(id) } }
}

/** How a call ended, and how many milliseconds of virtual time it waited. */
private data class End(val attempts: Int, val waited: Long, val result: String)

@OptIn(ExperimentalCoroutinesApi::class)
private fun end(script: List<Api.Step>, library: (Api) -> suspend (String) -> String): End {
    lateinit var end: End
    runTest {
        val api = Api(script)
        val user = library(api)
        val result = try {
            user("7")
        } catch (e: Exception) {
            "${e.javaClass.simpleName}: ${e.message}"
        }
        end = End(api.attempts(), currentTime, result)
    }
    return end
}

/** The same look-up with each library of Kotlin and with Reprise: same attempts, same waits, same end. */
class FromKotlinLibrariesTest :
    FunSpec({
        val calls = mapOf(
            listOf(FOUND) to End(1, 0, "user 7"),
            listOf(DOWN, DOWN, FOUND) to End(3, 30, "user 7"),
            listOf(DOWN) to End(4, 70, "IOException: down"),
            listOf(BROKEN, FOUND) to End(1, 0, "IllegalStateException: broken"),
        )
        for ((script, expected) in calls) {
            test("kotlin-retry, $script") {
                end(script) { KotlinRetryUsers(it)::user } shouldBe expected
                end(script) { AfterKotlinRetryUsers(it)::user } shouldBe expected
            }

            test("Arrow, $script") {
                end(script) { ArrowUsers(it)::user } shouldBe expected
                end(script) { AfterArrowUsers(it)::user } shouldBe expected
            }
        }

        test("an Either is judged, and the last Left comes back") {
            runTest {
                val found = Api(listOf(DOWN, DOWN, FOUND))
                AfterArrowEithers(found).user("7").getOrNull() shouldBe "user 7"
                val down = Api(listOf(DOWN))
                AfterArrowEithers(down).user("7").leftOrNull()?.message shouldBe "down"
                down.attempts() shouldBe 3
                val broken = Api(listOf(BROKEN, FOUND))
                AfterArrowEithers(broken).user("7").isLeft() shouldBe true
                broken.attempts() shouldBe 1
            }
        }

        test("a Result goes in and its end comes out") {
            runTest {
                val api = Api(listOf(DOWN, FOUND))
                fun find(id: String) = runCatching { api.fetch(id) }
                Retrier().outcome { find("7").getOrThrow() }.getOrThrow() shouldBe "user 7"
            }
        }
    })
