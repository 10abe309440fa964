package dev.reprise.core.shell.machine

import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
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
import dev.reprise.core.shell.quota.RetryQuota
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import kotlin.time.Duration.Companion.seconds

private val full = RandomSource { 1.0 }

/** The rows of [RetryMachine]'s table that no attempt's verdict leads to, and what is told of each token. */
class MachineTableTest :
    FunSpec({
        val quota = RetryQuota()
        val machine = RetryMachine(RetryPolicy.STANDARD, quota)
        val retry = { machine.next(RetryState.first(), MachineInput.Judged(Verdict.TRANSIENT), 0, full) as RetryState }

        test("a call that is cancelled before its attempt gives its tokens back, one in its attempt does not") {
            val waiting = retry()
            quota.available shouldBe 486
            machine.next(waiting, MachineInput.cancelled(inAttempt = false), 0, full) shouldBe
                Decision.GiveUp(StopReason.CANCELLED)
            quota.available shouldBe 500
            machine.next(retry(), MachineInput.cancelled(inAttempt = true), 0, full) shouldBe
                Decision.GiveUp(StopReason.CANCELLED)
            quota.available shouldBe 486
            quota.refund(14)
        }

        test("code around the call that throws ends it as rejected, with what it threw") {
            val thrown = Error("broken waiter")
            val before = machine.next(
                retry(),
                MachineInput.broken(thrown, inAttempt = false),
                0,
                full,
            ) as Decision.GiveUp
            before.reason shouldBe StopReason.REJECTED
            before.thrown shouldBeSameInstanceAs thrown
            quota.available shouldBe 500
            val within = machine.next(
                retry(),
                MachineInput.broken(thrown, inAttempt = true),
                0,
                full,
            ) as Decision.GiveUp
            within.thrown shouldBeSameInstanceAs thrown
            quota.available shouldBe 486
            quota.refund(14)
        }

        test("no permit is the deadline's doing if the policy waits for permits, and a refusal otherwise") {
            for ((onNoPermit, reason) in listOf(
                NoPermit.Wait to StopReason.DEADLINE,
                NoPermit.Fail to StopReason.RATE_LIMITED,
                NoPermit.waitAtMost(1.seconds) to StopReason.RATE_LIMITED,
            )) {
                val policy = RetryPolicy {
                    sendRate = SendRateSettings.EXACT
                    this.onNoPermit = onNoPermit
                }
                val adaptive = RetryMachine(policy, quota)
                val waiting = adaptive.next(
                    RetryState.first(),
                    MachineInput.Judged(Verdict.THROTTLING),
                    0,
                    full,
                ) as RetryState
                quota.available shouldBe 495
                adaptive.next(waiting, MachineInput.NO_PERMIT, 0, full) shouldBe Decision.GiveUp(reason)
                quota.available shouldBe 500
            }
        }

        test("a backoff or a draw that throws, anything at all, costs nothing") {
            for (thrown in listOf(IllegalStateException("backoff"), StackOverflowError("backoff"))) {
                val policies = listOf(
                    RetryPolicy { backoff = Backoff.custom { _ -> throw thrown } } to full,
                    RetryPolicy.STANDARD to RandomSource { throw thrown },
                )
                for ((policy, draws) in policies) {
                    val end = RetryMachine(policy, quota)
                        .next(RetryState.first(), MachineInput.Judged(Verdict.TRANSIENT), 0, draws) as Decision.GiveUp
                    end.thrown shouldBeSameInstanceAs thrown
                    end.reason shouldBe StopReason.REJECTED
                    quota.available shouldBe 500
                }
            }
        }

        test("a long poll whose backoff throws when the quota has refused ends with what it threw") {
            val thrown = Error("backoff")
            val policy = RetryPolicy { backoff = Backoff.custom { _ -> throw thrown } }
            val polling = RetryState.first(options = CallOptions { longPolling = true })
            val dry = RetryMachine(policy, RetryQuota(500, 0))
            (
                dry.next(
                    polling,
                    MachineInput.Judged(Verdict.TRANSIENT),
                    0,
                    full,
                ) as Decision.GiveUp
                ).thrown shouldBeSameInstanceAs
                thrown
        }

        test("a long poll does not wait past the deadline to be told, nor a wait of zero") {
            val policy = RetryPolicy { deadline = 1.seconds }
            for ((now, delay) in listOf(0L to 50_000_000L, 949_999_999L to 50_000_000L, 950_000_000L to 0L)) {
                val polling = RetryState.first(startedAt = 0, options = CallOptions { longPolling = true })
                RetryMachine(policy, RetryQuota(500, 0))
                    .next(polling, MachineInput.Judged(Verdict.TRANSIENT), now, full) shouldBe
                    Decision.GiveUp(StopReason.QUOTA, delay)
            }
        }

        test("no retry follows once the deadline has passed, however short its wait") {
            val policy = RetryPolicy {
                deadline = 1.seconds
                backoff = Backoff.IMMEDIATE
            }
            val state = RetryState.first(startedAt = 10)
            val machine = RetryMachine(policy, RetryQuota())
            val inTime = machine.next(state, MachineInput.Judged(Verdict.TRANSIENT), 1_000_000_009, full)
            (inTime as RetryState).delayNanos shouldBe 0
            machine.next(state, MachineInput.Judged(Verdict.TRANSIENT), 1_000_000_010, full) shouldBe
                Decision.GiveUp(StopReason.DEADLINE)
        }

        test("a policy that follows no server delay waits its backoff") {
            val policy = RetryPolicy { serverDelays = emptyList() }
            val asked = Verdict.TRANSIENT.withServerDelay(ServerDelay(3_000_000_000, null))
            val next = RetryMachine(policy, RetryQuota()).next(RetryState.first(), MachineInput.Judged(asked), 0, full)
            (next as RetryState).delayNanos shouldBe 50_000_000
        }

        test("what happens to each token is told, and of no tokens nothing") {
            val told = Tokens()
            val small = RetryQuota(20, 14)
            val paying = RetryMachine(RetryPolicy.STANDARD, small)
            val state = paying.next(
                RetryState.first(),
                MachineInput.Judged(Verdict.TRANSIENT),
                0,
                full,
                told,
            ) as RetryState
            paying.next(RetryState.first(), MachineInput.Judged(Verdict.TRANSIENT), 0, full, told)
            paying.next(state, MachineInput.Judged(Verdict.Accept), 0, full, told)
            repeat(8) { paying.next(RetryState.first(), MachineInput.Judged(Verdict.Accept), 0, full, told) }
            told.seen shouldContainExactly listOf("-14", "no 14", "+14") + List(6) { "+1" }
            val free = RetryMachine(RetryPolicy { this.quota = TokenBucketSettings { cost = 0 } }, RetryQuota(20, 0))
            val silent = Tokens()
            val next = free.next(
                RetryState.first(),
                MachineInput.Judged(Verdict.TRANSIENT),
                0,
                full,
                silent,
            ) as RetryState
            free.next(next, MachineInput.cancelled(inAttempt = false), 0, full, silent)
            silent.seen shouldContainExactly emptyList()
        }

        test("a policy that pays for failures does not pay for work that may not be repeated") {
            val policy = RetryPolicy {
                this.quota = TokenBucketSettings {
                    timeoutCost = 20
                    charge = QuotaCharge.FAILURES
                }
            }
            val first = RetryState.first(options = CallOptions { repeat = Repeat.NEVER })
            for (tokens in listOf(500, 3)) {
                val own = RetryQuota(500, tokens)
                RetryMachine(policy, own).next(first, MachineInput.Judged(Verdict.TIMEOUT), 0, full) shouldBe
                    Decision.GiveUp(StopReason.NOT_REPLAYABLE)
                own.available shouldBe tokens
            }
        }

        test("a policy that pays for failures pays before it judges, and gives back when it stops") {
            for ((report, reason, left) in listOf(
                Triple(Verdict.Reject, StopReason.REJECTED, 500),
                Triple(Verdict.TRANSIENT, StopReason.ATTEMPTS, 500),
            )) {
                val own = RetryQuota()
                val policy = RetryPolicy {
                    maxAttempts = 1
                    this.quota = TokenBucketSettings { charge = QuotaCharge.FAILURES }
                }
                val told = Tokens()
                RetryMachine(policy, own).next(RetryState.first(), MachineInput.Judged(report), 0, full, told) shouldBe
                    Decision.GiveUp(reason)
                withClue("$report") { told.seen shouldContainExactly listOf("-14", "+14") }
                own.available shouldBe left
            }
            val dry = RetryQuota(500, 3)
            val policy = RetryPolicy { this.quota = TokenBucketSettings { charge = QuotaCharge.FAILURES } }
            RetryMachine(policy, dry).next(RetryState.first(), MachineInput.Judged(Verdict.Reject), 0, full) shouldBe
                Decision.GiveUp(StopReason.REJECTED)
            RetryMachine(policy, dry).next(RetryState.first(), MachineInput.Judged(Verdict.TRANSIENT), 0, full) shouldBe
                Decision.GiveUp(StopReason.QUOTA)
            dry.available shouldBe 3
        }
    })
