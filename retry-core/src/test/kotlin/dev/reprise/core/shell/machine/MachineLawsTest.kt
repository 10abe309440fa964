package dev.reprise.core.shell.machine

import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.FailureKind
import dev.reprise.core.Jitter
import dev.reprise.core.NoPermit
import dev.reprise.core.QuotaCharge
import dev.reprise.core.RandomSource
import dev.reprise.core.Repeat
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.core.ServerDelay
import dev.reprise.core.StopReason
import dev.reprise.core.TokenBucketSettings
import dev.reprise.core.Verdict
import dev.reprise.core.WhenRetriedBelow
import dev.reprise.core.shell.quota.RetryQuota
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import io.kotest.property.Arb
import io.kotest.property.arbitrary.arbitrary
import io.kotest.property.arbitrary.choice
import io.kotest.property.arbitrary.list
import io.kotest.property.arbitrary.long
import io.kotest.property.arbitrary.map
import io.kotest.property.arbitrary.of
import io.kotest.property.arbitrary.orNull
import io.kotest.property.checkAll
import kotlin.time.Duration.Companion.nanoseconds
import kotlin.time.Duration.Companion.seconds
import io.kotest.property.RandomSource as PropertyRandom

private val full = RandomSource { 1.0 }
private const val NEVER = Long.MAX_VALUE

private fun <T> PropertyRandom.pick(vararg values: T): T = values[random.nextInt(values.size)]

private val terms = arbitrary { random ->
    Terms(
        maxAttempts = random.pick(1, 2, 3, 9),
        deadline = random.pick(NEVER, 100L, 1_000L),
        stopAfter = random.pick(NEVER, NEVER, 70L, 1_000L),
        delay = random.pick(-1L, 0L, 30L, 100L, 5_000L),
        cost = random.pick(0, 1, 7),
        throttlingCost = random.pick(0, 2, 7),
        timeoutCost = random.pick(0, 3, 7),
        firstTryRefund = random.pick(0, 1, 4),
        chargesFailures = random.pick(true, false),
        capacity = 20,
        available = random.random.nextInt(21),
        repeat = random.pick(Repeat.SAFE, Repeat.SAFE, Repeat.IF_UNSENT, Repeat.NEVER),
        isLongPoll = random.pick(true, false),
        delaysLongPolls = random.pick(true, true, false),
        waitsForPermits = random.pick(true, false),
        stopsBelow = random.pick(true, false),
    )
}

private val reports = arbitrary { random ->
    val failure = Verdict.Retry(
        random.pick(*FailureKind.entries.toTypedArray()),
        "x",
        unsent = random.pick(true, false),
    )
    val retry = MachineInput.Judged(if (random.random.nextInt(6) == 0) failure.retriedBelow() else failure)
    random.pick(
        retry, retry, retry, retry,
        MachineInput.UNPAID,
        MachineInput.Judged(Verdict.Accept),
        MachineInput.Judged(Verdict.Reject),
        MachineInput.NO_PERMIT,
        MachineInput.Stopped(StopReason.DEADLINE),
        MachineInput.Stopped(StopReason.TIME),
        MachineInput.Stopped(StopReason.CANCELLED, inAttempt = true),
        MachineInput.Stopped(StopReason.CANCELLED, inAttempt = false),
        MachineInput.Stopped(StopReason.REJECTED, inAttempt = true, Error("broken")),
        MachineInput.Stopped(StopReason.REJECTED, inAttempt = false, Error("broken")),
    )
}

private fun Terms.policy() = RetryPolicy {
    maxAttempts = this@policy.maxAttempts
    if (this@policy.deadline != NEVER) deadline = this@policy.deadline.nanoseconds
    if (this@policy.stopAfter != NEVER) stopAfter = this@policy.stopAfter.nanoseconds
    backoff = if (delay < 0) Backoff.custom { _ -> null } else Backoff.custom { _ -> delay.nanoseconds }
    quota = TokenBucketSettings {
        capacity = this@policy.capacity
        cost = this@policy.cost
        throttlingCost = this@policy.throttlingCost
        timeoutCost = this@policy.timeoutCost
        firstTryRefund = this@policy.firstTryRefund
        charge = if (chargesFailures) QuotaCharge.FAILURES else QuotaCharge.RETRIES
    }
    longPollingDelay = delaysLongPolls
    whenRetriedBelow = if (stopsBelow) WhenRetriedBelow.STOP else WhenRetriedBelow.RETRY
    sendRate = SendRateSettings.EXACT
    onNoPermit = when {
        waitsForPermits -> NoPermit.Wait
        available % 2 == 0 -> NoPermit.Fail
        else -> NoPermit.waitAtMost(1.seconds)
    }
}

private fun Terms.first(startedAt: Long) = RetryState.first(
    startedAt,
    CallOptions {
        repeat = this@first.repeat
        longPolling = isLongPoll
    },
)

private fun Decision.told(): Told = when (this) {
    is Decision.Accept -> Told.Ends(StopReason.SUCCESS)
    is Decision.GiveUp -> Told.Ends(reason, delayNanos)
    is RetryState -> Told.Goes(attempt, lastCost)
}

/** What [RetryMachine] promises, for any policy and any course of a call. */
class MachineLawsTest :
    FunSpec({
        test("the machine does what its table says, and tells of each token, for any policy and any reports") {
            val steps = arbitrary { it.pick(0L, 1L, 70L, 100L, 999L, 1_000L) }
            val starts = Arb.choice(Arb.of(0L, -3L, 10_000_000_000_000, -10_000_000_000_000, NEVER - 50), Arb.long())
            checkAll(4_000, terms, Arb.list(reports, 1..8), steps, starts) { terms, course, step, startedAt ->
                val quota = RetryQuota(terms.capacity, terms.available)
                val machine = RetryMachine(terms.policy(), quota)
                val model = MachineModel(terms)
                val observer = Tokens()
                var state = terms.first(startedAt)
                var elapsed = 0L
                for (report in course) {
                    val decision = machine.next(state, report, startedAt + elapsed, full, observer)
                    withClue("$terms\n$course, $elapsed ns after the start") {
                        decision.told() shouldBe model.next(report, elapsed)
                        quota.available shouldBe model.tokens
                        observer.seen shouldContainExactly model.told
                        if (report is MachineInput.Stopped) {
                            (decision as Decision.GiveUp).thrown shouldBeSameInstanceAs report.thrown
                        }
                    }
                    state = decision as? RetryState ?: break
                    elapsed += step
                }
            }
        }

        test("without a quota every decision is that of retries that cost nothing, and nothing is told") {
            checkAll(1_000, terms.map { it.free() }, Arb.list(reports, 1..8)) { terms, course ->
                for (policy in listOf(terms.policy(), terms.policy().with { quota = null })) {
                    val machine = RetryMachine(policy, null)
                    val model = MachineModel(terms)
                    val observer = Tokens()
                    var state = terms.first(0)
                    for (report in course) {
                        val decision = machine.next(state, report, 0, full, observer)
                        withClue("$terms\n$course") { decision.told() shouldBe model.next(report, 0) }
                        state = decision as? RetryState ?: break
                    }
                    observer.seen.shouldBeEmpty()
                }
            }
        }

        test("a delay is told with its ceiling, its draw, what the server asked for and what came of it") {
            val asked = ServerDelay(3_000_000_000, null)
            val exponential = RetryPolicy { backoff = Backoff.STANDARD }
            val custom = RetryPolicy { backoff = Backoff.custom(Jitter.FULL) { _ -> 80.nanoseconds } }
            for ((policy, ceiling) in listOf(exponential to 50_000_000L, custom to 80L)) {
                for ((verdict, delay) in listOf(
                    Verdict.TRANSIENT to ceiling / 2,
                    Verdict.TRANSIENT.withServerDelay(asked) to 3_000_000_000L,
                )) {
                    val observer = Tokens()
                    RetryMachine(policy, RetryQuota())
                        .next(RetryState.first(), MachineInput.Judged(verdict), 0, { 0.5 }, observer)
                    val server = if (verdict.hasServerDelay) asked else null
                    observer.delays shouldContainExactly listOf(listOf(ceiling, ceiling / 2, server, delay))
                }
            }
        }

        test("an exact delay is the wait, and the backoff counts from the attempt that follows it") {
            val policy = RetryPolicy {
                unlimitedAttempts()
                backoff = Backoff.decorrelated(1.nanoseconds, 1_000_000.nanoseconds)
                quota = null
            }
            checkAll(1_000, Arb.list(Arb.long(0L..9L).orNull(), 1..12)) { asked ->
                var state = RetryState.first()
                var previous = 1L
                for (exact in asked) {
                    val verdict =
                        if (exact == null) {
                            Verdict.TRANSIENT
                        } else {
                            Verdict.TRANSIENT.withServerDelay(ServerDelay.exactly(exact))
                        }
                    state = RetryMachine(policy, null)
                        .next(state, MachineInput.Judged(verdict), 0, { 1.0 }) as RetryState
                    previous = if (exact == null) minOf(1_000_000, previous * 3) else 1
                    state.delayNanos shouldBe (exact ?: previous)
                    if (exact != null) state.retryIndex shouldBe 0
                }
            }
        }

        test("an exact delay below zero ends the call and gives the retry's tokens back") {
            val quota = RetryQuota()
            RetryMachine(RetryPolicy.STANDARD, quota).next(
                RetryState.first(),
                MachineInput.Judged(Verdict.TRANSIENT.withServerDelay(ServerDelay.exactly(-1))),
                0,
                full,
            ) shouldBe Decision.GiveUp(StopReason.REJECTED)
            quota.available shouldBe quota.capacity
        }

        test("states, decisions and reports say what they are") {
            val thrown = Error("broken")
            val state = RetryMachine(RetryPolicy.STANDARD, null)
                .next(RetryState.first(), MachineInput.Judged(Verdict.TRANSIENT), 0, full)
            listOf(
                state,
                Decision.GiveUp(StopReason.QUOTA),
                Decision.GiveUp(StopReason.QUOTA, 5),
                Decision.GiveUp(StopReason.QUOTA, 0, thrown),
                Decision.Accept,
                MachineInput.Judged(Verdict.Accept),
                MachineInput.NO_PERMIT,
                MachineInput.Stopped(StopReason.DEADLINE),
                CopyDue,
                MachineInput.UNPAID,
                MachineInput.Stopped(StopReason.CANCELLED, inAttempt = true),
                MachineInput.Stopped(StopReason.CANCELLED, inAttempt = false),
                MachineInput.Stopped(StopReason.REJECTED, inAttempt = true, thrown),
            ).map { "$it" } shouldContainExactly listOf(
                "RetryState(attempt 2, waits 50ms, waited 50ms in all, last cost 14)",
                "GiveUp(quota)",
                "GiveUp(quota after 5ns)",
                "GiveUp(quota, java.lang.Error)",
                "Accept",
                "Judged(${Verdict.Accept})",
                "Stopped(rate-limited)",
                "Stopped(deadline)",
                "CopyDue",
                "Stopped(quota)",
                "Stopped(cancelled, in attempt)",
                "Stopped(cancelled)",
                "Stopped(rejected, in attempt, java.lang.Error)",
            )
        }
    })
