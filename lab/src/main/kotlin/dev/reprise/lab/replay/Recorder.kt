package dev.reprise.lab.replay

import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryEventListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.core.shell.values.attemptTimeoutNanos
import dev.reprise.core.shell.values.deadlineNanos
import dev.reprise.core.shell.values.delayNanos
import dev.reprise.core.shell.values.lastDelayNanos
import dev.reprise.core.shell.values.waitNanos
import dev.reprise.core.shell.values.word
import dev.reprise.coroutines.Retrier
import kotlinx.serialization.ExperimentalSerializationApi
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonUnquotedLiteral
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.put
import java.math.BigDecimal

/**
 * Writes each outcome and its decision as a line of JSON. A listener like any other. Calls [onLimit] with each
 * attempt's time limit, in ns.
 */
internal class Recorder(
    private val name: String?,
    private val policy: RetryPolicy,
    private val onLimit: (nanos: Long) -> Unit,
) : RetryEventListener {
    private var number = 0
    private var attempts = 0
    private var startedAt = 0L
    private var permitWaitNanos = 0L
    private var isInAttempt = false
    private var verdict: Verdict = Verdict.Accept

    /** The retrier that is listened to, whose levels are written down. */
    lateinit var retrier: Retrier

    val lines = mutableListOf<String>()

    var hasEnded = false
        private set

    override fun onCallStarted(event: RetryEvent.CallStarted) {
        number++
        attempts = 0
        startedAt = event.atNanos
        hasEnded = false
    }

    override fun onPermitWaited(event: RetryEvent.PermitWaited) {
        permitWaitNanos = event.waitNanos
    }

    override fun onAttemptStarted(event: RetryEvent.AttemptStarted) {
        isInAttempt = true
        attempts = event.attempt
        verdict = Verdict.Accept
        val left = policy.deadlineNanos.let { if (it == UNLIMITED_NANOS) it else it - (event.atNanos - startedAt) }
        onLimit(minOf(left, policy.attemptTimeoutNanos(event.attempt)))
    }

    override fun onAttemptFailed(event: RetryEvent.AttemptFailed) {
        verdict = event.verdict
    }

    override fun onRetryScheduled(event: RetryEvent.RetryScheduled) = write(event, null, event.delayNanos)

    override fun onCallSucceeded(event: RetryEvent.CallSucceeded) = end(event, StopReason.SUCCESS, 0)

    override fun onCallGaveUp(event: RetryEvent.CallGaveUp) = end(event, event.reason, event.lastDelayNanos)

    override fun onCallCancelled(event: RetryEvent.CallCancelled) = end(event, StopReason.CANCELLED, 0)

    private fun end(event: RetryEvent, reason: StopReason, delayNanos: Long) {
        write(event, reason, delayNanos)
        hasEnded = true
    }

    private fun write(event: RetryEvent, reason: StopReason?, delayNanos: Long) {
        // A call that was refused its send permit, or was cancelled, has no outcome to speak of.
        val verdict = if (isInAttempt && reason != StopReason.CANCELLED) verdict else null
        val line = buildJsonObject {
            put("name", name)
            put("call", number)
            put("attempt", if (isInAttempt) attempts else attempts + 1)
            put("at", decimal(event.atNanos, SECOND_DIGITS))
            put("verdict", verdict?.let(::wordOf))
            put("kind", (verdict as? Verdict.Retry)?.kind?.word)
            put("decision", if (reason == null) "retry" else "stop")
            if (reason != null) put("reason", reason.word)
            put("delayMs", decimal(delayNanos, MILLI_DIGITS))
            put("permitWaitMs", decimal(permitWaitNanos, MILLI_DIGITS))
            put("quota", retrier.quota?.available)
            retrier.sendRate?.let {
                put("measuredRate", it.measuredRate)
                put("sendRate", it.sendRate)
            }
        }
        lines += line.toString()
        isInAttempt = false
        permitWaitNanos = 0
    }

    private companion object {
        const val SECOND_DIGITS = 9
        const val MILLI_DIGITS = 6

        fun wordOf(verdict: Verdict): String = when (verdict) {
            Verdict.Accept -> "accept"
            Verdict.Reject -> "reject"
            is Verdict.Retry -> "retry"
        }

        /** [nanos] with the point [digits] to the left, exactly. */
        @OptIn(ExperimentalSerializationApi::class)
        fun decimal(nanos: Long, digits: Int): JsonElement {
            val exact = BigDecimal.valueOf(nanos, digits).stripTrailingZeros()
            return JsonUnquotedLiteral((if (exact.scale() < 1) exact.setScale(1) else exact).toPlainString())
        }
    }
}
