package dev.reprise.core.shell.call

import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.GoBackoff
import dev.reprise.core.Hedge
import dev.reprise.core.HttpOutcome
import dev.reprise.core.Jitter
import dev.reprise.core.OnBadResult
import dev.reprise.core.QuotaCharge
import dev.reprise.core.RandomSource
import dev.reprise.core.RatioQuotaSettings
import dev.reprise.core.Recorder
import dev.reprise.core.Repeat
import dev.reprise.core.Reply
import dev.reprise.core.ReplyException
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.SendRateSettings
import dev.reprise.core.SteadyQuotaSettings
import dev.reprise.core.TokenBucketSettings
import dev.reprise.core.WhenRetriedBelow
import dev.reprise.core.repeated
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.core.shell.quota.newQuota
import dev.reprise.core.shell.rate.SendRate
import dev.reprise.core.shell.time.SECOND
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.arbitrary
import io.kotest.property.arbitrary.enum
import io.kotest.property.arbitrary.list
import io.kotest.property.checkAll
import java.io.IOException
import java.net.ConnectException
import java.net.SocketTimeoutException
import java.util.Random
import java.util.concurrent.CancellationException
import kotlin.time.Duration.Companion.days
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

private enum class Comes(val make: () -> Any?) {
    GOOD({ "good" }),
    NULL({ null }),
    RESET({ IOException("reset") }),
    REFUSED({ ConnectException("refused") }),
    SLOW({ SocketTimeoutException("slow") }),
    WRONG({ IllegalStateException("wrong") }),
    BUSY({ Reply(503) }),
    THROTTLED({ Reply(429) }),
    LATER({ Reply(503, headers = mapOf("retry-after" to "2")) }),
    MUCH_LATER({ ReplyException(Reply(429, headers = mapOf("retry-after" to "86400"))) }),
    SOON({ ReplyException(Reply(500, headers = mapOf("x-amz-retry-after" to "1500"))) }),
    BELOW({ ReplyException(Reply(503, headers = mapOf("x-should-retry" to "false"))) }),
    AGAIN({ Reply(409, headers = mapOf("x-should-retry" to "true")) }),
    CANCELLED({ CancellationException("enough") }),
}

private class Course(
    val options: CallOptions,
    val kind: ResultKind,
    /** The outcome of each attempt, and how many ns it takes. */
    val attempts: List<Pair<Comes, Long>>,
    /** The number of the wait in which the caller cancels the call; 0 for none. */
    val cancelledIn: Int,
) {
    override fun toString() = "$options $kind ${attempts.map { it.first }}, cancelled in wait $cancelledIn"
}

private val courses = arbitrary { source ->
    val random = source.random
    val options = CallOptions {
        operation = listOf(null, "a", "b").random(random)
        repeat = listOf(null, null, null, Repeat.IF_UNSENT, Repeat.NEVER).random(random)
        longPolling = random.nextInt(4) == 0
    }
    val attempts = List(6) {
        val comes = if (random.nextInt(3) == 0) Comes.GOOD else Comes.entries.random(random)
        comes to random.nextLong(0, 3_000_000_000)
    }
    Course(
        options,
        ResultKind.entries.random(random),
        attempts,
        if (random.nextInt(6) == 0) {
            random.nextInt(1, 3)
        } else {
            0
        },
    )
}

private val policies = arbitrary { source ->
    val random = source.random
    RetryPolicy.HTTP.with {
        maxAttempts = random.nextInt(1, 6)
        backoff = listOf(
            Backoff.STANDARD,
            Backoff.decorrelated(20.milliseconds, 900.milliseconds),
            Backoff.fixed(70.milliseconds, Jitter.EQUAL),
            GoBackoff(30_000_000, 300_000_000_000),
            Backoff.perKind(Backoff.IMMEDIATE, Backoff.STANDARD),
        ).random(random)
        quota = when (random.nextInt(5)) {
            0 -> null

            1 -> SteadyQuotaSettings { seconds = 1.0 }

            2 -> RatioQuotaSettings { perSecond = 1 }

            else -> TokenBucketSettings {
                capacity = random.nextInt(1, 80)
                cost = random.nextInt(20)
                throttlingCost = random.nextInt(20)
                timeoutCost = random.nextInt(20)
                firstTryRefund = random.nextInt(3)
                charge = QuotaCharge.entries.random(random)
            }
        }
        onBadResult = OnBadResult.entries.random(random)
        whenRetriedBelow = WhenRetriedBelow.entries.random(random)
        longPollingDelay = random.nextBoolean()
        sendRate = listOf(null, SendRateSettings.EXACT, SendRateSettings.STEADY).random(random)
    }
}

private val FAR = 1000.days

/** Parts beside a call that must not change it. */
private enum class Beside(
    val policy: RetryPolicy.() -> RetryPolicy = { this },
    val options: CallOptions.() -> CallOptions = { this },
    val listens: Boolean = false,
    val asOutcome: Boolean = false,
    val isLate: Boolean = false,
    val clockBegins: Long = 0,
) {
    NOTHING,
    LISTENER(listens = true),
    DEADLINE({ with { deadline = FAR } }),
    DEADLINE_OF_ITS_OWN(options = { with { deadline = FAR } }),
    LIMIT({ with { attemptTimeout = FAR } }),
    HEDGE({ with { hedge = Hedge.after(FAR) } }),
    HEDGE_THAT_LEARNS({ with { hedge = Hedge() } }),
    FREE_PERMITS({ if (sendRate == null) with { sendRate = SendRateSettings.STEADY } else this }),
    NO_TRACE({ with { trace = false } }),
    OUTCOME(asOutcome = true),
    BUILDER({ toBuilder().build() }),
    REQUEST(options = { ofRequest("GET", "example.com") }, listens = true),
    SHELL_THAT_IS_LATE(isLate = true),
    SHELL_THAT_IS_LATE_AND_HEARD(isLate = true, listens = true),
    END_OF_CLOCK({ with { deadline = FAR } }, listens = true, clockBegins = Long.MAX_VALUE - SECOND),
    BEGIN_OF_CLOCK({ with { hedge = Hedge() } }, clockBegins = Long.MIN_VALUE + SECOND),
    ALL({
        with {
            deadline = FAR
            attemptTimeout = FAR
            hedge = Hedge()
            if (sendRate == null) sendRate = SendRateSettings.STEADY
        }
    }, listens = true, asOutcome = true),
}

/** A client of [base], with [beside] beside it. */
private class ClientBeside(base: RetryPolicy, private val beside: Beside) {
    private val policy = beside.policy(base)
    private val hasRate = base.sendRate != null

    // A whole second, as the rate is measured by the clock's own.
    private var now = beside.clockBegins - beside.clockBegins.mod(SECOND)
    private val recorder = Recorder()
    private val quota = policy.quota?.newQuota({ now })
    private val random = Random()
    private val sendRate = policy.sendRate?.let { SendRate(it, now) }
    private val setup = object : CallSetup(
        policy,
        quota,
        sendRate,
        if (beside.listens) listOf(recorder) else emptyList(),
        { now },
        RandomSource { random.nextDouble() },
    ) {
        override fun takesPermit(now: Long) = !hasRate || sendRate!!.tryTake(now)
    }

    private val seen = ArrayList<String>()
    private var attempts = 0
    private var waits = 0
    private var waitedNanos = 0L
    private var isOpen = true

    /** All that a call of this [course] shows. */
    fun plays(course: Course): List<String> {
        random.setSeed(7)
        seen.clear()
        recorder.events.clear()
        attempts = 0
        waits = 0
        waitedNanos = 0
        isOpen = true
        val tokens = quota?.available ?: 0
        val options = beside.options(course.options)
        var call = if (beside.isLate) {
            val startedAt = now
            if (sendRate != null) waitsForPermit()
            setup.takeOver(options, course.kind, startedAt, now)
        } else {
            setup.begin(options, course.kind, beside.asOutcome)
        }
        while (isOpen && call.next != NextStep.DONE) call = step(call, course)
        if (isOpen) seen += endOf(call)
        if (hasRate) seen += "${sendRate?.state}, held ${sendRate?.isHeld}"
        seen += "quota ${quota?.available} of ${quota?.capacity}, ${quota?.available(course.options.operation)}"
        if (beside.listens) addsUp(tokens)
        return seen.toList()
    }

    /** Does what [call] wants next, and returns the call to go on with; it is not open any more if a result was accepted. */
    private fun step(call: RetryCall, course: Course): RetryCall {
        when (call.next) {
            NextStep.WAIT -> {
                seen += "waits ${call.delayNanos}"
                if (++waits == course.cancelledIn) return call.broke(CancellationException("in wait"))
                now += call.delayNanos
                if (!call.hasEnded) waitedNanos += call.delayNanos
                call.waited()
            }

            NextStep.PERMIT -> call.permitted(waitsForPermit())

            NextStep.DISCARD -> {
                seen += "discards ${told(call.rejected())}"
                call.discarded()
            }

            else -> {
                val isBegun = beside.isLate && attempts == 0
                val attempt = if (isBegun) null else call.attemptStarts()
                call.race()
                attempts++
                seen +=
                    "attempt ${attempt?.number ?: 1} after ${told(
                        attempt?.lastFailure,
                    )}, last ${attempt?.isLast ?: (policy.maxAttempts == 1)}"
                val (comes, nanos) = course.attempts[attempts - 1]
                now += nanos
                val outcome = comes.make()
                if (outcome is Throwable) return call.failed(outcome, Thrown.meaningOf(outcome)).repeated()
                call.completed(outcome)?.repeated()?.let { return it }
                isOpen = false
                seen += "returns ${told(outcome)}"
            }
        }
        return call
    }

    /** Takes a permit when one is there, and returns how long that took. Those of a rate that is only beside the call are free. */
    private fun waitsForPermit(): Long {
        val from = now
        while (hasRate && !sendRate!!.tryTake(now)) now += sendRate.waitNanos(now, ahead = 0)
        return now - from
    }

    private fun endOf(call: RetryCall): String {
        call.failure()?.let {
            RetryTrace.of(it)?.let(::addsUp)
            return "throws ${told(it)}"
        }
        if (!beside.asOutcome) return "returns ${told(call.value())}"
        val outcome = call.value() as RetryOutcome<*>
        outcome.attempts shouldBe attempts
        outcome.totalDelayNanos shouldBe waitedNanos
        val end = runCatching { outcome.getOrThrow() }
        return end.exceptionOrNull()?.let { "throws ${told(it)}" } ?: "returns ${told(end.getOrThrow())}"
    }

    private fun addsUp(trace: RetryTrace) = withClue(trace) {
        trace.attempts shouldBe attempts
        trace.failures.map { it.number } shouldBe (1..attempts).toList()
        listOf(trace.failures.sumOf { it.getDelay().toNanos() }, trace.getTotalDelay().toNanos()) shouldBe
            listOf(waitedNanos, waitedNanos)
    }

    /** The listener's events add up to the attempts, waits and tokens of the call; the quota had [tokens] before. */
    private fun addsUp(tokens: Int) = withClue({ recorder.events }) {
        val events = recorder.events
        val scheduled = events.filterIsInstance<RetryEvent.RetryScheduled>().sumOf { it.delayNanos }
        events.count { it is RetryEvent.AttemptStarted } shouldBe attempts
        when (val end = events.last()) {
            is RetryEvent.CallSucceeded -> listOf(attempts, scheduled) shouldBe
                listOf(end.attempts, end.totalDelayNanos)

            is RetryEvent.CallGaveUp -> listOf(attempts, scheduled) shouldBe listOf(end.attempts, end.totalDelayNanos)

            is RetryEvent.CallCancelled -> attempts shouldBe end.attempts

            else -> error("no end: $end")
        }
        if (quota is RetryQuota) {
            val taken = events.filterIsInstance<RetryEvent.QuotaTaken>().sumOf { it.tokens }
            val back = events.filterIsInstance<RetryEvent.QuotaRefunded>().sumOf { it.tokens }
            quota.available shouldBe tokens - taken + back
        }
    }

    private fun told(value: Any?): String = when (value) {
        is Throwable -> "${value.javaClass.simpleName} ${value.message}"
        is HttpOutcome -> "status ${value.status}"
        else -> "$value"
    }
}

/** A call stays the same beside parts that do not act on it. */
class SameCallTest :
    FunSpec({
        test("a call is the same with a listener, and with limits, copies and a send rate that are never reached") {
            checkAll(100, Arb.enum<Beside>(), policies, Arb.list(courses, 1..6)) { beside, policy, list ->
                val plain = ClientBeside(policy, Beside.NOTHING)
                val other = ClientBeside(policy, beside)
                for (course in list) {
                    withClue({ "$policy: $course" }) { other.plays(course) shouldBe plain.plays(course) }
                }
            }
        }
    })
