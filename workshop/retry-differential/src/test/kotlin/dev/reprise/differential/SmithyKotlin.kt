@file:OptIn(ExperimentalReprise::class, InternalApi::class)

package dev.reprise.differential

import aws.smithy.kotlin.runtime.InternalApi
import aws.smithy.kotlin.runtime.retries.RetryContext
import aws.smithy.kotlin.runtime.retries.RetryStrategy
import aws.smithy.kotlin.runtime.retries.StandardRetryStrategy
import aws.smithy.kotlin.runtime.retries.delay.ExponentialBackoffWithJitter
import aws.smithy.kotlin.runtime.retries.delay.StandardRetryTokenBucket
import aws.smithy.kotlin.runtime.retries.policy.RetryDirective
import aws.smithy.kotlin.runtime.retries.policy.RetryErrorType
import aws.smithy.kotlin.runtime.retries.policy.RetryPolicy
import aws.smithy.kotlin.runtime.telemetry.logging.LoggingContextElement
import dev.reprise.aws.kotlin.RepriseRetryStrategy
import dev.reprise.core.ExperimentalReprise
import dev.reprise.presets.Presets
import dev.reprise.test.VirtualTime
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlin.time.Duration.Companion.milliseconds
import dev.reprise.core.RetryPolicy as ReprisePolicy

/** smithy-kotlin's own strategy, with its switch to 2.1 [on][is2026] or off. */
class SmithyKotlin(private val is2026: Boolean) :
    LivingSdk("smithy-kotlin, standard ${if (is2026) "2.1" else "as shipped"}") {
    override val faults = listOf(Fault.NONE, Fault.TRANSIENT, Fault.THROTTLING, Fault.FINAL)
    override val hints = listOf<Long?>(0, 1, 49, 50, 51, 777, 5_050, 60_000)
    override val hasLongPolls get() = is2026

    /** As shipped, our preset draws from the top, as it does. */
    override val longest get() = if (is2026) 1.0 else 0.0
    override val preset: ReprisePolicy get() = Presets.named(if (is2026) "standard-2.1" else "kotlin-standard")

    override fun play(script: Script): List<End> {
        val bucket = inMode { StandardRetryTokenBucket { maxCapacity = script.capacity } }
        val backoff = inMode { ExponentialBackoffWithJitter { jitter = 0.0 } }
        val strategy = StandardRetryStrategy {
            maxAttempts = script.maxAttempts
            tokenBucket = bucket
            delayProvider = backoff
            enableLongPollingBackoff = true
        }
        val time = VirtualTime()
        return script.calls.map { call ->
            val waits = mutableListOf<Long>()
            val (isSuccess, attempts) = time.run {
                play(call, strategy, startWait = { time.nanoTime() }, endWait = { waits += time.nanoTime() - it })
            }
            End(isSuccess, attempts, waits.filter { it > 0 }, capacity.invoke(bucket) as Int)
        }
    }

    /** Plays [script] by [RepriseRetryStrategy] in the place of the SDK's own strategy. */
    fun playOurs(script: Script): List<End> {
        val waits = mutableListOf<Long>()
        val ours = Reprise.retrier(this, script, waits)
        val strategy = RepriseRetryStrategy {
            retrier = ours
            longPoll(LONG_POLL)
        }
        return script.calls.map { call ->
            waits.clear()
            val (isSuccess, attempts) = runBlocking { play(call, strategy, { 0 }, { }) }
            End(isSuccess, attempts, waits.toList(), ours.quota!!.available)
        }
    }

    /** Makes [call] as the SDK's middleware does; returns whether it succeeded, and in how many attempts. */
    private suspend fun play(
        call: ScriptedCall,
        strategy: RetryStrategy,
        startWait: () -> Long,
        endWait: (Long) -> Unit,
    ): Pair<Boolean, Int> {
        var attempts = 0
        var waitsSince: Long? = null
        val context = RetryContext().apply { isLongPolling = call.isLongPoll }
        val log = LoggingContextElement(mapOf("rpc" to if (call.isLongPoll) LONG_POLL else "Some.Operation"))
        val end = runCatching {
            withContext(context + log) {
                strategy.retry(JUDGE) {
                    waitsSince?.let(endWait)
                    val step = call.steps[attempts++]
                    val middleware = currentCoroutineContext()[RetryContext]!!
                    middleware.reset()
                    middleware.retryAfter = step.hintMillis?.milliseconds
                    waitsSince = startWait()
                    step.play()
                }
            }
        }
        if (end.exceptionOrNull() !is ScriptedFailure?) throw end.exceptionOrNull()!!
        if (end.isFailure) waitsSince?.let(endWait)
        return end.isSuccess to attempts
    }

    /** The SDK reads its switch when a builder is made. */
    private fun <T> inMode(build: () -> T): T {
        System.setProperty(SWITCH, "$is2026")
        try {
            return build()
        } finally {
            System.clearProperty(SWITCH)
        }
    }

    private companion object {
        const val SWITCH = "smithy.newRetries2026"
        const val LONG_POLL = "Some.LongPoll"

        /** Internal to smithy-kotlin, whose name the compiler has put behind the getter's. */
        val capacity = StandardRetryTokenBucket::class.java.methods.single { it.name.startsWith("getCapacity$") }

        val JUDGE = object : RetryPolicy<Any?> {
            override fun evaluate(result: Result<Any?>): RetryDirective =
                when ((result.exceptionOrNull() as ScriptedFailure?)?.fault) {
                    null -> RetryDirective.TerminateAndSucceed
                    Fault.TRANSIENT -> RetryDirective.RetryError(RetryErrorType.Transient)
                    Fault.THROTTLING -> RetryDirective.RetryError(RetryErrorType.Throttling)
                    else -> RetryDirective.TerminateAndFail
                }
        }
    }
}
