package dev.reprise.core.shell.machine

import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.FailureKind
import dev.reprise.core.RandomSource
import dev.reprise.core.Repeat
import dev.reprise.core.RetryPolicy
import dev.reprise.core.ServerDelay
import dev.reprise.core.StopReason
import dev.reprise.core.TokenBucketSettings
import dev.reprise.core.Verdict
import dev.reprise.core.shell.quota.RetryQuota
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeBetween
import io.kotest.matchers.longs.shouldBeGreaterThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.property.Arb
import io.kotest.property.arbitrary.choice
import io.kotest.property.arbitrary.constant
import io.kotest.property.arbitrary.enum
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.arbitrary.long
import io.kotest.property.arbitrary.map
import io.kotest.property.arbitrary.of
import io.kotest.property.checkAll
import kotlin.time.Duration.Companion.nanoseconds

private val full = RandomSource { 1.0 }
private const val MS = 1_000_000L

private fun Decision.delayMs() = shouldBeInstanceOf<RetryState>().delayNanos / MS

/** The decision on an attempt that means [verdict]. */
private fun RetryMachine.next(state: RetryState, verdict: Verdict, now: Long, draws: RandomSource): Decision =
    next(state, MachineInput.Judged(verdict), now, draws)

/** The state to go on from. */
private val Decision.next: RetryState get() = shouldBeInstanceOf<RetryState>()

class RetryMachineTest :
    FunSpec({
        val verdicts: Arb<Verdict> =
            Arb.choice(
                Arb.constant(Verdict.Accept),
                Arb.constant(Verdict.Reject),
                Arb.enum<FailureKind>().map { Verdict.Retry(it) },
            )

        test("an observer hears of no tokens that the quota had no room for") {
            val quota = RetryQuota(500)
            val told = Tokens()
            val paid = RetryState.first().next(0, 14)
            RetryMachine(
                RetryPolicy.STANDARD,
                quota,
            ).next(paid, MachineInput.cancelled(inAttempt = false), 0, full, told)
            told.seen shouldBe emptyList()
        }

        test("a backoff of the user's is told the time since the call began, on any clock") {
            checkAll(Arb.long(-1_000 * MS..1_000 * MS), Arb.long(0L..100 * MS)) { start, elapsed ->
                val upcoming = RetryState.first(start).upcoming(
                    FailureKind.TRANSIENT,
                    MachineInput.Judged(Verdict.TRANSIENT),
                    start + elapsed,
                )
                upcoming.elapsed shouldBe elapsed.nanoseconds
            }
        }

        test("a long poll that is said to be one is the same call") {
            val polling = RetryState.first(options = CallOptions { longPolling = true })
            polling.longPoll() shouldBe polling
            RetryState.first().longPoll() shouldBe polling
        }

        test("a transient failure waits 50 ms, then twice as long, and costs 14 tokens each time") {
            val quota = RetryQuota()
            val machine = RetryMachine(RetryPolicy.STANDARD, quota)
            val first = machine.next(RetryState.first(), Verdict.TRANSIENT, 0, full)
            first.delayMs() shouldBe 50
            quota.available shouldBe 486
            val second = machine.next(first.next, Verdict.TRANSIENT, 0, full)
            second.delayMs() shouldBe 100
            quota.available shouldBe 472
            machine.next(second.next, Verdict.Accept, 0, full) shouldBe Decision.Accept
            quota.available shouldBe 486
        }

        test("a throttle after a transient failure waits the throttling base at the second step") {
            val machine = RetryMachine(RetryPolicy.STANDARD, RetryQuota())
            val first = machine.next(RetryState.first(), Verdict.TRANSIENT, 0, full)
            machine.next(first.next, Verdict.THROTTLING, 0, full).delayMs() shouldBe 2000
        }

        test("the last attempt's failure costs nothing, because the limit stands before the quota") {
            val quota = RetryQuota(500, available = 0)
            val machine = RetryMachine(RetryPolicy { maxAttempts = 1 }, quota)
            machine.next(RetryState.first(), Verdict.TRANSIENT, 0, full) shouldBe
                Decision.GiveUp(StopReason.ATTEMPTS, 0)
            quota.available shouldBe 0
        }

        test("a refused quota gives up and keeps its tokens") {
            val quota = RetryQuota(500, available = 13)
            val machine = RetryMachine(RetryPolicy.STANDARD, quota)
            machine.next(RetryState.first(), Verdict.TRANSIENT, 0, full) shouldBe Decision.GiveUp(StopReason.QUOTA, 0)
            quota.available shouldBe 13
        }

        test("a long poll that the quota refuses waits the delay it would have had, by kind") {
            val machine = RetryMachine(RetryPolicy.STANDARD, RetryQuota(500, available = 0))
            val polling = RetryState.first(options = CallOptions { longPolling = true })
            machine.next(polling, Verdict.TRANSIENT, 0, full) shouldBe Decision.GiveUp(StopReason.QUOTA, 50 * MS)
            machine.next(polling, Verdict.THROTTLING, 0, full) shouldBe Decision.GiveUp(StopReason.QUOTA, 1000 * MS)
            val wish = Verdict.TRANSIENT.withServerDelay(ServerDelay(1500 * MS, null))
            machine.next(polling, wish, 0, full) shouldBe Decision.GiveUp(StopReason.QUOTA, 1500 * MS)
        }

        test("a server's wish is kept up to 5 s over the backoff, and not jittered again") {
            val machine = RetryMachine(RetryPolicy.STANDARD, RetryQuota())
            for ((wishMs, delayMs) in listOf(10L to 50L, 1500L to 1500L, 10_000L to 5050L)) {
                val verdict = Verdict.TRANSIENT.withServerDelay(ServerDelay(wishMs * MS, null))
                machine.next(RetryState.first(), verdict, 0, full).delayMs() shouldBe delayMs
            }
        }

        test("work that may not be repeated is not, unless nothing was sent") {
            val machine = RetryMachine(RetryPolicy.STANDARD, RetryQuota())
            val refused = Verdict.Retry(FailureKind.TRANSIENT, "refused", unsent = true)

            fun after(repeat: Repeat?, verdict: Verdict) =
                machine.next(RetryState.first(options = CallOptions { this.repeat = repeat }), verdict, 0, full)

            for (safe in listOf(null, Repeat.SAFE)) after(safe, Verdict.TRANSIENT).shouldBeInstanceOf<RetryState>()
            after(Repeat.IF_UNSENT, Verdict.TRANSIENT) shouldBe Decision.GiveUp(StopReason.NOT_REPLAYABLE, 0)
            after(Repeat.IF_UNSENT, refused).shouldBeInstanceOf<RetryState>()
            after(Repeat.NEVER, refused) shouldBe Decision.GiveUp(StopReason.NOT_REPLAYABLE, 0)
        }

        test("a retry follows while its wait ends before the deadline, and else its tokens come back, on any clock") {
            val limit = 1_000_000_000L
            val policy =
                RetryPolicy {
                    deadline = limit.nanoseconds
                    maxAttempts = 10
                }
            val origins = Arb.choice(Arb.of(0L, 77L, 10_000_000_000_000, -10_000_000_000_000, -3L), Arb.long())
            checkAll(1_000, origins, Arb.long(0L..2 * limit), Arb.int(0..4)) { start, elapsed, retries ->
                val quota = RetryQuota()
                val machine = RetryMachine(policy, quota)
                var state = RetryState.first(startedAt = start)
                repeat(retries) { state = machine.next(state, Verdict.TRANSIENT, start, full).next }
                val before = quota.available
                val delay = 50 * MS shl retries
                val last = machine.next(state, Verdict.TRANSIENT, start + elapsed, full)
                if (elapsed + delay < limit) {
                    last.next.delayNanos shouldBe delay
                    quota.available shouldBe before - 14
                } else {
                    last shouldBe Decision.GiveUp(StopReason.DEADLINE)
                    quota.available shouldBe before
                }
            }
        }

        test("a backoff that says stop ends the call and costs nothing") {
            val quota = RetryQuota()
            val machine = RetryMachine(RetryPolicy { backoff = Backoff.custom { _ -> null } }, quota)
            machine.next(RetryState.first(), Verdict.TRANSIENT, 0, full) shouldBe
                Decision.GiveUp(StopReason.REJECTED, 0)
            quota.available shouldBe 500
        }

        test("quota is conserved over any sequence of calls: within its bounds, and only the last cost comes back") {
            checkAll(Arb.list(Arb.list(verdicts, 1..6), 1..30), Arb.int(0..500)) { calls, available ->
                val settings = TokenBucketSettings { timeoutCost = 10 }
                val policy =
                    RetryPolicy {
                        quota = settings
                        maxAttempts = 4
                    }
                val quota = RetryQuota(500, available)
                val machine = RetryMachine(policy, quota)
                var expected = available
                for (script in calls) {
                    var state = RetryState.first()
                    var lastCost = 0
                    for (verdict in script) {
                        val decision = machine.next(state, verdict, 0, full)
                        when (decision) {
                            is RetryState -> {
                                lastCost = settings.costOf((verdict as Verdict.Retry).kind)
                                expected -= lastCost
                                decision.delayNanos shouldBeGreaterThanOrEqual 0
                                decision.next.attempt shouldBe state.attempt + 1
                            }

                            Decision.Accept -> expected = minOf(500, expected + if (lastCost > 0) lastCost else 1)

                            is Decision.GiveUp -> Unit
                        }
                        quota.available shouldBe expected
                        quota.available.shouldBeBetween(0, 500)
                        state = decision as? RetryState ?: break
                    }
                }
            }
        }

        test("an unlimited policy goes on for ever with sane delays") {
            val machine = RetryMachine(RetryPolicy.builder().unlimitedAttempts().noQuota().build(), null)
            var state = RetryState.first()
            repeat(5_000) {
                val decision = machine.next(state, Verdict.TRANSIENT, 0, full).shouldBeInstanceOf<RetryState>()
                decision.delayNanos shouldBe minOf(50 * MS * (1L shl minOf(it, 20)), 20_000 * MS)
                state = decision.next
            }
        }

        test("what is wrong with a policy is said when it is built") {
            shouldThrow<IllegalArgumentException> { RetryPolicy { maxAttempts = 0 } }.message shouldBe
                "maxAttempts must be at least 1: 0"
            shouldThrow<IllegalArgumentException> { RetryPolicy { deadline = 0.nanoseconds } }.message shouldBe
                "deadline must be above zero: 0s"
        }
    })
