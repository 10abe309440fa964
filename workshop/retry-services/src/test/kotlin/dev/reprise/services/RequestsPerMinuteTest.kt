package dev.reprise.services

import dev.reprise.core.FailureKind
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryableFailure
import dev.reprise.coroutines.Retrier
import dev.reprise.test.VirtualTime
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.shouldBeGreaterThanOrEqual
import io.kotest.matchers.doubles.shouldBeLessThanOrEqual
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.nanoseconds
import kotlin.time.Duration.Companion.seconds

private class TooMany(override val serverDelay: Duration? = null) :
    Exception("429"),
    RetryableFailure {
    override val failureKind = FailureKind.THROTTLING
}

/** A service of language models: a bucket that fills with [perMinute] requests, [answers] that take their time, throttles that do not. */
private class Service(private val time: VirtualTime, perMinute: Int, private val answers: Duration) {
    private val perNano = perMinute / 60e9
    private val burst = perMinute / 60.0
    private var tokens = burst
    private var at = 0L
    val admitted = mutableListOf<Duration>()
    val throttled = mutableListOf<Duration>()

    suspend fun ask() {
        val now = time.nanoTime()
        tokens = minOf(burst, tokens + (now - at) * perNano)
        at = now
        if (tokens < 1) {
            throttled += now.nanoseconds
            delay(50.milliseconds)
            throw TooMany()
        }
        tokens -= 1
        admitted += now.nanoseconds
        delay(answers)
    }
}

/** The share of the limit that is used after the first minute of ten, and the share of attempts that is throttled then. */
private fun tenMinutes(perMinute: Int, answers: Duration, callers: Int): Pair<Double, Double> {
    val time = VirtualTime()
    val service = Service(time, perMinute, answers)
    val retrier = Retrier(RetryPolicy.ADAPTIVE_STEADY) {
        clock = time
        waiter = time.waiter
        draws = VirtualTime.LONGEST
    }
    time.run {
        coroutineScope {
            repeat(callers) {
                launch { while (time.nanoTime() < 10.minutes.inWholeNanoseconds) retrier.outcome { service.ask() } }
            }
        }
    }
    fun List<Duration>.counted() = count { it >= 1.minutes && it < 10.minutes }
    val good = service.admitted.counted()
    val bad = service.throttled.counted()
    return good / (9.0 * perMinute) to bad / (good + bad).toDouble()
}

/** [used] of the limit at least, and at most [throttled] of the attempts. */
private class Expected(val perMinute: Int, val answers: Duration, val used: Double, val throttled: Double)

/** The figures of `docs/llm.md`. A throttle now and then is how the limiter learns; slow answers are late news. */
class RequestsPerMinuteTest :
    FunSpec({
        val all = listOf(
            Expected(600, 1.seconds, used = 0.95, throttled = 0.03),
            Expected(600, 5.seconds, used = 0.93, throttled = 0.04),
            Expected(3_000, 5.seconds, used = 0.93, throttled = 0.02),
            Expected(3_000, 20.seconds, used = 0.80, throttled = 0.02),
        )
        for (expected in all) {
            val (perMinute, answers) = expected.perMinute to expected.answers
            test("ADAPTIVE_STEADY at $perMinute requests a minute whose answers take $answers") {
                val (used, throttled) = tenMinutes(perMinute, answers, callers = perMinute)
                println("$perMinute a minute, answers $answers: used %.3f, throttled %.4f".format(used, throttled))
                used shouldBeGreaterThanOrEqual expected.used
                throttled shouldBeLessThanOrEqual expected.throttled
            }
        }
    })
