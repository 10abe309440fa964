package dev.reprise.core

import dev.reprise.build.logged
import dev.reprise.core.shell.InvalidPolicyException
import dev.reprise.core.shell.call.CallSetup
import dev.reprise.core.shell.text.WarningLog
import io.kotest.assertions.throwables.shouldNotThrowAny
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.long
import io.kotest.property.checkAll
import java.util.concurrent.CancellationException
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.nanoseconds
import kotlin.time.Duration.Companion.seconds

class PolicyChecksTest :
    FunSpec({
        fun refusal(changes: RetryPolicyBuilder.() -> Unit) =
            shouldThrow<IllegalArgumentException> { RetryPolicy(changes) }.message

        test("a base above the cap is refused, one at the cap is not") {
            checkAll(Arb.long(0L..Long.MAX_VALUE), Arb.long(0L..Long.MAX_VALUE)) { a, b ->
                val (low, high) = listOf(a, b).sorted()
                for (make in listOf<(Long, Long) -> Backoff>(
                    { base, cap -> ExponentialBackoff(base, capNanos = cap) },
                    { base, cap -> LinearBackoff(base, 1, cap) },
                    { base, cap -> Backoff.decorrelated(base.nanoseconds, cap.nanoseconds) },
                )) {
                    shouldNotThrowAny { RetryPolicy { backoff = make(low, high) } }
                    shouldNotThrowAny { RetryPolicy { backoff = make(high, high) } }
                    if (low < high) shouldThrow<InvalidPolicyException> { RetryPolicy { backoff = make(high, low) } }
                }
            }
        }

        test("a lower cap than a preset's base after throttling is meant") {
            val cap = 500.milliseconds
            RetryPolicy { backoff = Backoff.exponential(50.milliseconds, 1.seconds, cap = cap) }
                .backoff.ceilingNanos(0, FailureKind.THROTTLING) shouldBe cap.inWholeNanoseconds
        }

        test("an attempt's timeout above the deadline is meant: the policy was derived from another") {
            val slow = RetryPolicy { attemptTimeout = 2.seconds }
            slow.with { deadline = 1.seconds }.attemptTimeoutNanos(1) shouldBe slow.attemptTimeoutNanos(1)
        }

        test("attempts without end need a quota, a deadline or a wait, after each kind of failure") {
            fun endless(changes: RetryPolicyBuilder.() -> Unit): RetryPolicyBuilder.() -> Unit = {
                unlimitedAttempts().noQuota()
                changes()
            }
            for (never in listOf(
                Backoff.IMMEDIATE,
                FixedBackoff(999_999, Jitter.FULL_MILLIS),
                Backoff.perKind(Backoff.fixed(1.seconds), Backoff.IMMEDIATE),
                Backoff.decorrelated(0.seconds, 1.seconds),
                Backoff.exponential(1.seconds, factor = 0.5),
            )) {
                withClue(never) {
                    refusal(endless { backoff = never }) shouldBe
                        "maxAttempts must be limited where there is neither a deadline nor, for each kind of " +
                        "failure, a quota or a wait: unlimited"
                    shouldNotThrowAny { RetryPolicy(endless { backoff(never).quota(TokenBucketSettings.STANDARD) }) }
                    shouldNotThrowAny { RetryPolicy(endless { backoff(never).deadline = 1.seconds }) }
                    shouldNotThrowAny { RetryPolicy(endless { backoff(never).maxAttempts(Int.MAX_VALUE - 1) }) }
                }
            }
            shouldNotThrowAny { RetryPolicy(endless { backoff = Backoff.custom { _ -> Duration.ZERO } }) }
            shouldNotThrowAny { RetryPolicy(endless { backoff = Backoff.STANDARD }) }
            shouldThrow<InvalidPolicyException> {
                RetryPolicy(endless { backoff(Backoff.IMMEDIATE).quota(TokenBucketSettings { throttlingCost = 0 }) })
            }
        }

        test("a rule that would retry a cancellation or an interrupt can never act, and is refused") {
            for (type in listOf(CancellationException::class.java, InterruptedException::class.java)) {
                shouldThrow<InvalidPolicyException> { RetryPolicy { retryOn(type) } }.message shouldBe
                    "retryOn must not name an exception that always ends the call: ${type.name}"
                RetryPolicy { rejectOn(type) }
            }
        }

        test("a copy that would come when the first attempt is over can never act, and is refused") {
            checkAll(200, Arb.long(1L..9), Arb.long(1L..9), Arb.long(1L..9)) { after, attempt, end ->
                fun policy(attempt: Long?, end: Long?) = runCatching {
                    RetryPolicy {
                        hedge = Hedge.after(after.seconds)
                        attemptTimeouts = listOfNotNull(attempt?.seconds, 1.seconds)
                        if (attempt == null) attemptTimeout = null
                        deadline = end?.seconds
                    }
                }
                policy(attempt, null).isSuccess shouldBe (after < attempt)
                policy(null, end).isSuccess shouldBe (after < end)
                policy(attempt, end).isSuccess shouldBe (after < minOf(attempt, end))
                policy(null, null).isSuccess shouldBe true
            }
            refusal { hedge(Hedge.after(1.seconds)).attemptTimeout = 1.seconds } shouldBe
                "hedge.after must be below the 1s that a first attempt may take: 1s"
            RetryPolicy { hedge(Hedge()).attemptTimeout = 1.nanoseconds }
        }

        test("a warning is logged once, whoever tells it") {
            val policy = RetryPolicy {
                attemptTimeout = 4321.milliseconds
                deadline = 1234.milliseconds
            }
            val setup = CallSetup(policy, null, null, emptyList(), { 0 }, { 1.0 })
            val lines = logged(WarningLog.LOGGER) {
                repeat(3) { setup.warn() }
                repeat(3) { setup.warn("this client cannot keep what the policy says") }
            }
            lines.map { it.message } shouldBe listOf(
                "probably a mistake in a retry policy: " +
                    "the attempt timeout of 4.321s is above the deadline of 1.234s, which comes first",
                "this client cannot keep what the policy says",
            )
        }

        test("what is probably a mistake is told as a warning") {
            fun warnings(changes: RetryPolicyBuilder.() -> Unit) = RetryPolicy(changes).warnings
            warnings {
                attemptTimeout = 2.seconds
                deadline = 1.seconds
            } shouldBe listOf("the attempt timeout of 2s is above the deadline of 1s, which comes first")
            warnings {
                attemptTimeout = 1.seconds
                deadline = 1.seconds
            } shouldBe emptyList()
            warnings { attemptTimeout = 1.seconds } shouldBe emptyList()
            warnings {
                stopAfter = 2.seconds
                deadline = 1.seconds
            } shouldBe listOf("the stopAfter of 2s is above the deadline of 1s, which comes first")
            val noTime = "a call has 3s, and waits 4s before a retry: none is ever made"
            val slow = Backoff.perKind(Backoff.fixed(5.seconds, Jitter.EQUAL), Backoff.fixed(4.seconds))
            warnings { backoff(slow).deadline = 3.seconds } shouldBe emptyList()
            warnings { backoff(Backoff.fixed(4.seconds)).deadline = 3.seconds } shouldBe listOf(noTime)
            warnings { backoff(Backoff.fixed(4.seconds)).stopAfter = 3.seconds } shouldBe listOf(noTime)
            warnings { backoff(Backoff.fixed(3.seconds, Jitter.FULL)).deadline = 3.seconds } shouldBe emptyList()
            warnings { backoff(Backoff.custom { _ -> 4.seconds }).deadline = 3.seconds } shouldBe emptyList()
            warnings { backoff(Backoff.fixed(4.seconds)).maxAttempts(1).deadline = 3.seconds } shouldBe emptyList()
            val endless = "any number of attempts, and neither a deadline nor a quota ends a call that goes on failing"
            warnings { unlimitedAttempts().noQuota() } shouldBe listOf(endless)
            warnings { unlimitedAttempts() } shouldBe emptyList()
            warnings { unlimitedAttempts().noQuota().deadline = 1.seconds } shouldBe emptyList()
            warnings { unlimitedAttempts().noQuota().backoff(Backoff.custom { _ -> null }) } shouldBe emptyList()
            val small = TokenBucketSettings { capacity(13).timeoutCost(2) }
            val never = "a full quota has 13 tokens, and a retry may cost 14: that one is never made"
            warnings { quota = small } shouldBe listOf(never)
            warnings { quota(small).maxAttempts(1) } shouldBe emptyList()
            warnings { quota = small.with { capacity = 14 } } shouldBe emptyList()
        }

        test("a refusal names the setting, the rule and the value, also inside a backoff for each kind") {
            val slow = Backoff.exponential(10.seconds, cap = 1.seconds)
            val fine = Backoff.fixed(1.seconds)
            for ((backoff, name) in listOf(
                slow to "backoff.base",
                Backoff.perKind(transient = slow, throttling = fine) to "backoff.transient.base",
                Backoff.perKind(transient = fine, throttling = slow) to "backoff.throttling.base",
            )) {
                val refused = shouldThrow<InvalidPolicyException> { RetryPolicy { this.backoff = backoff } }
                refused.name shouldBe name
                refused.rule shouldBe "must not be above the cap of 1s"
                refused.value shouldBe "10s"
                refused.message shouldBe "$name must not be above the cap of 1s: 10s"
            }
        }
    })
