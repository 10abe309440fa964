package dev.reprise.lab.replay

import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.StopReason
import dev.reprise.core.classify.Verdict
import kotlinx.serialization.ExperimentalSerializationApi
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonUnquotedLiteral
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.put
import java.math.BigDecimal

/** Writes down each outcome and what was decided on it, as a line of JSON. A listener like any other. */
internal class Recorder(private val name: String?) : RetryListener {
    private var number = 0
    private var permitWaitNanos = 0L
    private var isInAttempt = false
    private var timeLeft: () -> Long = { Long.MAX_VALUE }

    /** What was written so far. */
    val lines = mutableListOf<String>()

    /** Whether the call that began last has ended. */
    var hasEnded = false
        private set

    /** How long the attempt that runs may still take. */
    val timeLeftNanos: Long get() = timeLeft()

    override fun onCallStarted(event: RetryEvent.CallStarted) {
        number++
        hasEnded = false
        timeLeft = { event.call.timeLeftNanos }
    }

    override fun onPermitWaited(event: RetryEvent.PermitWaited) {
        permitWaitNanos = event.waitNanos
    }

    override fun onAttemptStarted(event: RetryEvent.AttemptStarted) {
        isInAttempt = true
    }

    override fun onRetryScheduled(event: RetryEvent.RetryScheduled) = write(event, null, event.delayNanos)

    override fun onCallSucceeded(event: RetryEvent.CallSucceeded) = end(event, StopReason.SUCCESS)

    override fun onCallGaveUp(event: RetryEvent.CallGaveUp) = end(event, event.reason)

    override fun onCallCancelled(event: RetryEvent.CallCancelled) = end(event, StopReason.CANCELLED)

    private fun end(event: RetryEvent, reason: StopReason) {
        write(event, reason, event.call.delayNanos)
        hasEnded = true
    }

    private fun write(event: RetryEvent, reason: StopReason?, delayNanos: Long) {
        val setup = event.call.setup
        // A call that was refused its send permit, or was cancelled, has no outcome to speak of.
        val verdict = if (isInAttempt && reason != StopReason.CANCELLED) event.call.verdict else null
        val line = buildJsonObject {
            put("name", name)
            put("call", number)
            put("attempt", if (isInAttempt) event.call.attempts else event.call.attempts + 1)
            put("at", decimal(event.atNanos, SECOND_DIGITS))
            put("verdict", verdict?.let(::wordOf))
            put("kind", (verdict as? Verdict.Retry)?.kind?.word)
            put("decision", if (reason == null) "retry" else "stop")
            if (reason != null) put("reason", reason.word)
            put("delayMs", decimal(delayNanos, MILLI_DIGITS))
            put("permitWaitMs", decimal(permitWaitNanos, MILLI_DIGITS))
            put("quota", setup.quota?.available)
            setup.sendRate?.let {
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
