package dev.reprise.lab.fleet

import dev.reprise.core.Backoff
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.values.attemptTimeoutNanos
import dev.reprise.coroutines.Retrier
import dev.reprise.presets.Presets
import dev.reprise.test.VirtualTime
import dev.reprise.virtualtime.Chance
import dev.reprise.virtualtime.EventQueue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.list
import io.kotest.property.checkAll
import kotlin.coroutines.Continuation
import kotlin.coroutines.startCoroutine
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.nanoseconds

private const val MILLI = 1_000_000L

/** What an attempt gives, and after how many ms. */
private class Scripted(val answer: Answer, val millis: Long)

/** When each attempt was sent, in ns, by a caller that makes [calls] calls in a row: through the lab's own driver. */
private fun sentByTheLab(policy: RetryPolicy, script: List<Scripted>, calls: Int): List<Long> {
    val sent = mutableListOf<Long>()
    val queue = EventQueue()
    val server = Answering { now, _ ->
        val next = script[sent.size % script.size]
        sent += now
        Reply(now + next.millis * MILLI, next.answer)
    }
    val engine = Engine(EngineRules(policy), null, { queue.now }, Chance(9))
    val client = Client(0, engine, Shared(queue, server, Tally(1, 0, 1, 1)), Int.MAX_VALUE)
    var left = calls
    lateinit var caller: Caller
    caller = Caller { if (--left > 0) client.call(0, caller) }
    client.call(0, caller)
    queue.runUntil(Long.MAX_VALUE / 2)
    return sent
}

/** The same through the library's executor for coroutines. */
private fun sentByTheExecutor(policy: RetryPolicy, script: List<Scripted>, calls: Int): List<Long> {
    val sent = mutableListOf<Long>()
    val time = VirtualTime().apply { expectTimeout(policy.attemptTimeoutNanos(1).nanoseconds) }
    val chance = Chance(9)
    val retrier = Retrier.builder(policy).clock(time).draws { chance.uniform() }.waiter(time.waiter).build()
    suspend {
        repeat(calls) {
            retrier.outcome {
                val next = script[sent.size % script.size]
                sent += time.nanoTime()
                time.suspendFor(next.millis.milliseconds)
                next.answer
            }
        }
    }.startCoroutine(Continuation(time.dispatcher) { it.getOrThrow() })
    time.runToEnd()
    return sent
}

class EngineTest :
    FunSpec({
        val throttled = Answer(400, "ThrottlingException", isRefused = true)
        val later = Answer(503, headers = mapOf("retry-after" to "1"), isRefused = true)
        val scripts = Arb.list(
            Arb.element(
                Scripted(Answer.OK, 20),
                Scripted(Answer.OK, 15),
                Scripted(Answer.BROKEN, 20),
                Scripted(throttled, 18),
                Scripted(later, 21),
                Scripted(Answer.OK, 700),
            ),
            1..40,
        )
        val policies = Arb.element(
            RetryPolicy.STANDARD,
            RetryPolicy.STANDARD.with { attemptTimeout = 500.milliseconds },
            RetryPolicy {
                maxAttempts = 6
                quota = null
                deadline = 800.milliseconds
                backoff = Backoff.fixed(100.milliseconds)
            },
            Presets.named("botocore-legacy"),
            Presets.named("java-v1"),
            Presets.named("adaptive-2.1"),
            Presets.named("adaptive-steady"),
        )

        test("the lab sends every attempt at the moment when the library's own executor does") {
            checkAll(300, policies, scripts) { policy, script ->
                sentByTheLab(policy, script, calls = 30) shouldBe sentByTheExecutor(policy, script, calls = 30)
            }
        }
    })
