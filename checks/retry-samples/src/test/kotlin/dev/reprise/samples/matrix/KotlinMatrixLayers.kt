@file:OptIn(ExperimentalReprise::class)

package dev.reprise.samples.matrix

import dev.reprise.core.ExperimentalReprise
import dev.reprise.core.Hedge
import dev.reprise.core.HedgeRefusal
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryEventListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.core.Upstream
import dev.reprise.core.Verdict
import dev.reprise.core.WhenRetriedBelow
import dev.reprise.coroutines.withUpstream
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/** Layers and hedges. As [KotlinMatrix]. */
@Suppress("unused", "UNUSED_VARIABLE", "UNUSED_EXPRESSION")
internal object KotlinMatrixLayers {
    fun policy(): List<Any?> {
        val policy = RetryPolicy {
            hedge = Hedge(maxExtraLoad = 0.05)
            hedge = hedge ?: Hedge.after(50.milliseconds, 0.1)
            whenRetriedBelow = WhenRetriedBelow.RETRY
            if (whenRetriedBelow == WhenRetriedBelow.RETRY) whenRetriedBelow = WhenRetriedBelow.STOP
            honourShouldRetry = !honourShouldRetry
        }
        return listOf(
            policy.hedge?.maxExtraLoad,
            policy.whenRetriedBelow,
            policy.honourShouldRetry,
            StopReason.RETRIED_BELOW,
        )
    }

    fun verdict(verdict: Verdict.Retry): Boolean = verdict.isRetriedBelow

    suspend fun upstream(): String {
        val upstream = Upstream(attempt = 2, max = 3).within(2.seconds)
        return withUpstream(upstream) {
            "${upstream.attempt} of ${upstream.max}, ${upstream.isRetry}, ${Upstream.FIRST}"
        }
    }

    class Listener : RetryEventListener {
        val told = mutableListOf<Any?>()

        override fun onHedgeStarted(event: RetryEvent.HedgeStarted) {
            told += event.delay
        }

        override fun onHedgeWon(event: RetryEvent.HedgeWon) {
            told += event
        }

        override fun onHedgeRefused(event: RetryEvent.HedgeRefused) {
            told += when (event.reason) {
                HedgeRefusal.BUDGET, HedgeRefusal.QUOTA -> event.reason
                HedgeRefusal.SEND_RATE, HedgeRefusal.SERVER_BUSY -> null
            }
        }

        override fun onCallGaveUp(event: RetryEvent.CallGaveUp) {
            told += event.advice
        }
    }
}
