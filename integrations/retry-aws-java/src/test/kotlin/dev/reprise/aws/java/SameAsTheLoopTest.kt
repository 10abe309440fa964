package dev.reprise.aws.java

import dev.reprise.core.CallOptions
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.java.JavaRetrier
import dev.reprise.java.JavaRetrierBuilder
import dev.reprise.java.JavaWaiter
import dev.reprise.presets.Presets
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.boolean
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.arbitrary.map
import io.kotest.property.checkAll
import software.amazon.awssdk.core.exception.SdkException
import java.net.ConnectException
import java.net.SocketTimeoutException
import java.time.Duration

private class Noted : JavaWaiter {
    val waits = mutableListOf<Long>()

    override fun await(duration: Duration) {
        waits += duration.toNanos()
    }

    override fun after(duration: Duration, task: Runnable): Runnable = error("nothing here is asynchronous")
}

/** An outcome by its number, so that each side gets exceptions of its own. */
private fun outcome(kind: Int): SdkException? = when (kind) {
    0 -> null
    1 -> serviceFailure(500)
    2 -> serviceFailure(400, "ThrottlingException")
    3 -> serviceFailure(400, "ValidationException")
    4 -> serviceFailure(503, "SlowDown", headers = mapOf("x-amz-retry-after" to "1500"))
    5 -> transportFailure(SocketTimeoutException("slow"))
    else -> transportFailure(ConnectException("refused"))
}

private class Side(policy: RetryPolicy, tokens: Int, isWatched: Boolean) {
    val quota = RetryQuota(500, tokens)
    val events = mutableListOf<RetryEvent>()
    val waiter = Noted()
    private val draws = generateSequence(0.3) { (it * 7.31) % 1 }.iterator()
    private val builder: JavaRetrierBuilder =
        JavaRetrier.builder().policy(policy).quota(quota).draws { draws.next() }.clock { 0 }.waiter(waiter)
    val retrier: JavaRetrier = if (isWatched) {
        builder.listener(RetryListener { events += it }).build()
    } else {
        builder.build()
    }
}

private val policies =
    listOf("standard-2.1", "standard-2.0", "java-v2-legacy", "standard-steady").map { Presets.named(it) } +
        RetryPolicy { maxAttempts = 6 } + RetryPolicy.NONE

/** The strategy is Reprise's loop turned inside out: whatever happens, it does what the loop does. */
class SameAsTheLoopTest :
    FunSpec({
        test("attempts, waits, quota, end and events are those of the blocking loop") {
            val calls = Arb.list(Arb.list(Arb.int(0..6), 0..7), 1..12)
            val polls = Arb.boolean()
            checkAll(500, Arb.element(policies), calls, Arb.int(0..500), polls, Arb.boolean()) {
                    policy,
                    scripts,
                    tokens,
                    isPoll,
                    isWatched,
                ->
                val loop = Side(AwsErrors.addedTo(policy), tokens, isWatched)
                val inside = Side(policy, tokens, isWatched)
                val strategy = RepriseRetryStrategy.sharing(inside.retrier)
                for (script in scripts) {
                    val played = strategy.play(script.map(::outcome), isPoll)
                    val looped = loop.run(script, isPoll)
                    played.attempts shouldBe looped.attempts
                    played.waits shouldBe looped.waits
                    played.failure?.message shouldBe looped.failure?.message
                    reasonOf(played.failure) shouldBe reasonOf(looped.failure)
                    inside.quota.available shouldBe loop.quota.available
                    inside.quota.available shouldBeLessThanOrEqual 500
                }
                inside.events.map(::shape) shouldBe loop.events.map(::shape)
            }
        }
    })

private fun reasonOf(failure: Throwable?) = failure?.suppressed?.filterIsInstance<RetryTrace>()?.map { it.message }

/** Exceptions compare by what they say, and times not at all: inside the SDK an attempt begins when its wait is over. */
private fun shape(event: RetryEvent): String = event.toString().replaceFirst(Regex(" at [^:]*:"), ":")

private fun Side.run(script: List<Int>, isPoll: Boolean): Played {
    val outcomes = script.map(::outcome) + null
    var attempts = 0
    waiter.waits.clear()
    val failure =
        try {
            retrier.withOptions(CallOptions { longPolling = isPoll }).call<String, SdkException> {
                outcomes[attempts++]?.let { throw it }
                "done"
            }
            null
        } catch (e: SdkException) {
            e
        }
    return Played(attempts, waiter.waits.toList(), failure)
}
