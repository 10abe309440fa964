package dev.reprise.core

import dev.reprise.core.shell.call.CallSetup
import dev.reprise.core.shell.call.ResultKind
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.long
import io.kotest.property.arbitrary.orNull
import io.kotest.property.checkAll
import java.io.IOException
import java.time.Duration
import kotlin.time.Duration.Companion.nanoseconds
import kotlin.time.Duration.Companion.seconds

class CallOptionsTest :
    FunSpec({
        test("options say what they are, and are made alike in Kotlin and in Java") {
            val options = CallOptions("a")
            options.within(0) shouldNotBe options
            options.with { deadline = 1.seconds }.toString() shouldBe "call(a, deadline 1s)"
            options.with { repeat = Repeat.SAFE }.toString() shouldBe "call(a, SAFE)"
            CallOptions.builder().operation("a").deadline(Duration.ofSeconds(1)).build() shouldBe
                options.with { deadline = 1.seconds }
            CallOptions.named("a") shouldBe options
            CallOptions { } shouldBe CallOptions.DEFAULT
        }

        test("a deadline is above zero, or none") {
            shouldThrow<IllegalArgumentException> { CallOptions { deadline = 0.seconds } }.message shouldBe
                "deadline must be above zero: 0s"
            CallOptions { deadline = kotlin.time.Duration.INFINITE } shouldBe CallOptions.DEFAULT
            CallOptions.builder().deadline(null).build() shouldBe CallOptions.DEFAULT
        }

        test("of all limits the shortest counts, and no wait crosses it") {
            val nanos = Arb.long(1L..10_000_000_000)
            checkAll(nanos.orNull(), nanos.orNull(), Arb.long(-5L..10_000_000_000).orNull()) {
                    policyEnd,
                    callEnd,
                    left,
                ->
                var now = 7L
                val policy = RetryPolicy {
                    unlimitedAttempts().noQuota()
                    maxAttempts = 100
                    backoff = Backoff.fixed(300_000_000.nanoseconds)
                    deadline = policyEnd?.nanoseconds
                }
                val setup = object : CallSetup(policy, null, null, emptyList(), { now }, { 1.0 }) {
                    override val deadlines = left?.let { DeadlineSource { Duration.ofNanos(it) } }
                }
                val options = CallOptions { deadline = callEnd?.nanoseconds }
                val call = TestCall(setup, options) { now += it }
                val shortest = listOfNotNull(policyEnd, callEnd, left?.coerceAtLeast(0)).minOrNull()
                if (shortest == 0L) {
                    call.reason shouldBe StopReason.DEADLINE
                } else {
                    call.begins().timeLeftNanos shouldBe (shortest ?: Long.MAX_VALUE)
                }
                // A call that another shell began, and that is taken over after its first attempt.
                val begun = setup.bounded(options)
                val taken = setup.takeOver(begun, ResultKind.VALUE, startedAt = now, sentAt = now)
                taken.deadlineAt shouldBe (shortest?.let { now + it } ?: Long.MAX_VALUE)
                if (!call.isOver) call.ended(IOException())
                while (!call.isOver) call.ends(IOException())
                if (shortest == null) {
                    call.reason shouldBe StopReason.ATTEMPTS
                } else {
                    (now - 7L) shouldBeLessThanOrEqual shortest
                    call.reason shouldBe if (shortest > 99 * 300_000_000L) StopReason.ATTEMPTS else StopReason.DEADLINE
                }
            }
        }
    })
