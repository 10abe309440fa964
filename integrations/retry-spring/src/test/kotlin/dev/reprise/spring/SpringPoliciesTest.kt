package dev.reprise.spring

import dev.reprise.java.JavaRetrier
import dev.reprise.test.Recorder
import dev.reprise.test.VirtualTime
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.property.Arb
import io.kotest.property.arbitrary.bind
import io.kotest.property.arbitrary.choice
import io.kotest.property.arbitrary.constant
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.long
import io.kotest.property.arbitrary.map
import io.kotest.property.checkAll
import org.springframework.core.retry.RetryException
import org.springframework.core.retry.RetryPolicy
import org.springframework.util.backoff.BackOff
import org.springframework.util.backoff.ExponentialBackOff
import org.springframework.util.backoff.FixedBackOff
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds

/** How many waits are compared. */
private const val MOST = 40

private class Enough : RuntimeException()

private fun limit(least: Long) = Arb.choice(Arb.long(least..30), Arb.constant(Long.MAX_VALUE))

private val EXPONENTIAL = Arb.bind(
    Arb.long(1L..2000),
    Arb.int(100..300).map { it / 100.0 },
    Arb.choice(Arb.long(1L..2000), Arb.constant(86_400_000L)),
    Arb.choice(Arb.long(0L..20_000), Arb.constant(Long.MAX_VALUE)),
    limit(0),
) { initial, multiplier, max, maxElapsed, maxAttempts ->
    ExponentialBackOff(initial, multiplier).apply {
        maxInterval = max
        maxElapsedTime = maxElapsed
        this.maxAttempts = maxAttempts
    }
}

private val BACK_OFFS: Arb<BackOff> = Arb.choice(EXPONENTIAL, Arb.bind(Arb.long(1L..2000), limit(0), ::FixedBackOff))

/** The waits that Spring has, [MOST] at the most. */
private fun waitsOf(backOff: BackOff): List<Duration> {
    val execution = backOff.start()
    return generateSequence { execution.nextBackOff().takeIf { it >= 0 } }.take(MOST).map { it.milliseconds }.toList()
}

class SpringPoliciesTest :
    FunSpec({
        test("the retries and the waits are those of Spring's own execution") {
            checkAll(500, BACK_OFFS) { backOff ->
                val time = VirtualTime()
                val recorder = Recorder()
                val policy = SpringPolicies.translated(
                    RetryPolicy.builder().backOff(backOff).excludes(Enough::class.java).build(),
                ).with { quota = null }
                val retrier = JavaRetrier.builder(policy).clock(time).waiter(time).listener(recorder).build()
                var calls = 0

                shouldThrow<RetryException> {
                    RepriseRetryOperations(retrier).execute<Nothing> {
                        if (++calls > MOST) throw Enough()
                        throw IllegalStateException()
                    }
                }

                recorder.call.delays shouldBe waitsOf(backOff)
            }
        }

        test("the policy tells Spring's settings") {
            val backOff = ExponentialBackOff(100, 2.0)

            "${SpringPolicies.translated(RetryPolicy.builder().backOff(backOff).build())}" shouldContain "$backOff"
        }
    })
