@file:OptIn(ExperimentalReprise::class)

package dev.reprise.samples

import arrow.resilience.Schedule
import com.github.michaelbull.retry.policy.binaryExponentialBackoff
import com.github.michaelbull.retry.policy.continueIf
import com.github.michaelbull.retry.policy.plus
import com.github.michaelbull.retry.policy.stopAtAttempts
import com.github.rholder.retry.RetryerBuilder
import com.github.rholder.retry.StopStrategies
import com.github.rholder.retry.WaitStrategies
import dev.failsafe.Failsafe
import dev.reprise.core.ExperimentalReprise
import dev.reprise.test.FaultProbe
import dev.reprise.test.Subject
import io.github.resilience4j.core.IntervalFunction
import io.github.resilience4j.retry.RetryConfig
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import org.springframework.retry.support.RetryTemplate
import java.io.IOException
import java.time.Duration
import java.util.concurrent.Callable
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import java.util.function.Supplier
import kotlin.time.Duration.Companion.milliseconds
import arrow.resilience.retry as arrowRetry
import com.github.michaelbull.retry.retry as kotlinRetry
import dev.failsafe.RetryPolicy as FailsafePolicy
import io.github.resilience4j.retry.Retry as Resilience4jRetry

private const val ATTEMPTS = 3

/** Loops of other libraries, set up as their guides say. */
private val OTHERS = mapOf(
    "resilience4j" to Subject.blocking { _, fetch ->
        val config = RetryConfig.custom<String>().maxAttempts(ATTEMPTS)
            .intervalFunction(IntervalFunction.ofExponentialBackoff(Duration.ofMillis(5), 2.0))
            .retryExceptions(IOException::class.java).build()
        val retry = Resilience4jRetry.of("users", config)
        Callable { retry.executeCallable { fetch() } }
    },
    "resilience4j with jitter" to Subject.blocking { _, fetch ->
        val config = RetryConfig.custom<String>().maxAttempts(ATTEMPTS)
            .intervalFunction(IntervalFunction.ofExponentialRandomBackoff(Duration.ofMillis(10), 2.0))
            .retryExceptions(IOException::class.java).build()
        val retry = Resilience4jRetry.of("users", config)
        Callable { retry.executeCallable { fetch() } }
    },
    "Failsafe" to Subject.blocking { _, fetch ->
        val policy = FailsafePolicy.builder<String>().handle(IOException::class.java)
            .withBackoff(Duration.ofMillis(5), Duration.ofSeconds(1)).withMaxRetries(ATTEMPTS - 1).build()
        val failsafe = Failsafe.with(policy)
        Callable { failsafe.get { _ -> fetch() } }
    },
    "Failsafe, as a future" to Subject.async { _, fetch ->
        val policy = FailsafePolicy.builder<String>().handle(IOException::class.java)
            .withBackoff(Duration.ofMillis(5), Duration.ofSeconds(1)).withMaxRetries(ATTEMPTS - 1).build()
        val failsafe = Failsafe.with(policy)
        Supplier<CompletableFuture<String>> { failsafe.getStageAsync { _ -> fetch() } }
    },
    "Spring Retry" to Subject.blocking { _, fetch ->
        val template = RetryTemplate.builder().maxAttempts(ATTEMPTS).exponentialBackoff(5, 2.0, 1_000)
            .retryOn(IOException::class.java).build()
        Callable { template.execute<String, Exception> { fetch() } }
    },
    "guava-retrying" to Subject.blocking { _, fetch ->
        val retryer = RetryerBuilder.newBuilder<String>().retryIfExceptionOfType(IOException::class.java)
            .withWaitStrategy(WaitStrategies.exponentialWait(5, 1, TimeUnit.SECONDS))
            .withStopStrategy(StopStrategies.stopAfterAttempt(ATTEMPTS)).build()
        Callable { retryer.call { fetch() } }
    },
    "kotlin-retry" to Subject.suspending { _, fetch ->
        val policy = continueIf<Throwable> { it.failure is IOException } +
            binaryExponentialBackoff(min = 10, max = 1_000) + stopAtAttempts(ATTEMPTS)
        suspend { kotlinRetry(policy) { fetch() } }
    },
    "Arrow" to Subject.suspending { _, fetch ->
        val schedule = Schedule.exponential<Throwable>(10.milliseconds).and(Schedule.recurs(ATTEMPTS - 1L))
            .doWhile { failure, _ -> failure is IOException }
        suspend { schedule.arrowRetry { fetch() } }
    },
)

/** The probe accuses no sound loop of another library, although it knows none of them, and most sleep in real time. */
class ProbeOthersTest :
    FunSpec({
        val probe = FaultProbe({ IOException("reset") }).withFinal({ IllegalArgumentException("bad id") })

        for ((name, subject) in OTHERS) {
            test("not accused: $name") { probe.findings(subject).shouldBeEmpty() }
        }
    })
