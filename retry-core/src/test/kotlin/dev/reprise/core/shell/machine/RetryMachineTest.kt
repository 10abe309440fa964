package dev.reprise.core.shell.machine

import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.FailureKind
import dev.reprise.core.RandomSource
import dev.reprise.core.RetryPolicy
import dev.reprise.core.ServerDelay
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.core.shell.quota.RetryQuota
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.matchers.types.shouldBeSameInstanceAs
import io.kotest.property.Arb
import io.kotest.property.arbitrary.long
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

/** Single rows of the table, and what it leaves out; [MachineLawsTest] holds the machine to all of it. */
class RetryMachineTest :
    FunSpec({
        test("an observer hears of no tokens that the quota had no room for") {
            val quota = RetryQuota(500)
            val told = Tokens()
            val paid = RetryState.first().next(0, 14)
            RetryMachine(
                RetryPolicy.STANDARD,
                quota,
            ).next(paid, MachineInput.Stopped(StopReason.CANCELLED, inAttempt = false), 0, full, told)
            told.seen shouldBe emptyList()
        }

        test("a backoff of the user's is told the time since the call began, on any clock") {
            checkAll(Arb.long(-1_000 * MS..1_000 * MS), Arb.long(0L..100 * MS)) { start, elapsed ->
                val upcoming = RetryState.first(start).upcoming(
                    FailureKind.TRANSIENT,
                    failure = null,
                    result = null,
                    now = start + elapsed,
                )
                upcoming.elapsed shouldBe elapsed.nanoseconds
            }
        }

        test("a long poll that is said to be one is the same call") {
            val polling = RetryState.first(options = CallOptions { longPolling = true })
            polling.longPoll() shouldBe polling
            RetryState.first().longPoll() shouldBe polling
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

        test("an unlimited policy goes on for ever with sane delays") {
            val machine = RetryMachine(RetryPolicy.builder().unlimitedAttempts().noQuota().build(), null)
            var state = RetryState.first()
            repeat(5_000) {
                val decision = machine.next(state, Verdict.TRANSIENT, 0, full).shouldBeInstanceOf<RetryState>()
                decision.delayNanos shouldBe minOf(50 * MS * (1L shl minOf(it, 20)), 20_000 * MS)
                state = decision.next
            }
        }

        test("a backoff or a draw that throws, anything at all, costs nothing") {
            val quota = RetryQuota()
            for (thrown in listOf(IllegalStateException("backoff"), StackOverflowError("backoff"))) {
                val policies = listOf(
                    RetryPolicy { backoff = Backoff.custom { _ -> throw thrown } } to full,
                    RetryPolicy.STANDARD to RandomSource { throw thrown },
                )
                for ((policy, draws) in policies) {
                    val end = RetryMachine(policy, quota).next(RetryState.first(), Verdict.TRANSIENT, 0, draws)
                    end.shouldBeInstanceOf<Decision.GiveUp>().thrown shouldBeSameInstanceAs thrown
                    end.reason shouldBe StopReason.REJECTED
                    quota.available shouldBe 500
                }
            }
        }

        test("a long poll whose backoff throws when the quota has refused ends with what it threw") {
            val thrown = Error("backoff")
            val policy = RetryPolicy { backoff = Backoff.custom { _ -> throw thrown } }
            val polling = RetryState.first(options = CallOptions { longPolling = true })
            RetryMachine(policy, RetryQuota(500, 0)).next(polling, Verdict.TRANSIENT, 0, full)
                .shouldBeInstanceOf<Decision.GiveUp>().thrown shouldBeSameInstanceAs thrown
        }

        test("a policy that follows no server delay waits its backoff") {
            val policy = RetryPolicy { serverDelays = emptyList() }
            val asked = Verdict.TRANSIENT.withServerDelay(ServerDelay(3_000_000_000, null))
            RetryMachine(policy, RetryQuota()).next(RetryState.first(), asked, 0, full).delayMs() shouldBe 50
        }
    })
