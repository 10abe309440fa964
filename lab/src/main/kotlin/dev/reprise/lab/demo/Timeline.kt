package dev.reprise.lab.demo

import com.github.ajalt.mordant.rendering.TextColors
import com.github.ajalt.mordant.rendering.TextStyle
import com.github.ajalt.mordant.rendering.TextStyles
import com.github.ajalt.mordant.terminal.Terminal
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.FailureKind
import dev.reprise.core.HttpOutcome
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryEventListener
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.core.shell.quota.Quota
import dev.reprise.core.shell.time.briefText
import dev.reprise.core.shell.values.backoffNanos
import dev.reprise.core.shell.values.delayNanos
import dev.reprise.core.shell.values.totalDelayNanos
import dev.reprise.core.shell.values.waitNanos
import dev.reprise.core.shell.values.word
import java.util.Locale

/**
 * Prints calls as they happen. Each attempt has a line at its end: the time, the outcome, its class, the wait that
 * follows, the quota that is left. The last line has the stop reason. A listener like any other, for one call at a
 * time.
 */
internal class Timeline(private val terminal: Terminal) : RetryEventListener {
    /** The quota of the calls that are told; `null` where retries are free. */
    var quota: Quota? = null

    private var startedAt = 0L
    private var number = 0
    private var outcome = ""
    private var verdict: Verdict = Verdict.Accept
    private var tokens = 0
    private var scheduled: RetryEvent.RetryScheduled? = null

    override fun onCallStarted(event: RetryEvent.CallStarted) {
        startedAt = event.atNanos
        number = 0
        scheduled = null
    }

    override fun onPermitWaited(event: RetryEvent.PermitWaited) = terminal.println(
        TextStyles.dim("${clock(event.atNanos)}  had to wait ${briefText(event.waitNanos)} for a send permit"),
    )

    override fun onAttemptStarted(event: RetryEvent.AttemptStarted) {
        number = event.attempt
        outcome = "200 OK"
        verdict = Verdict.Accept
        tokens = 0
        scheduled = null
    }

    override fun onAttemptFailed(event: RetryEvent.AttemptFailed) {
        outcome =
            event.failure?.let(::describe)
                ?: (event.result as HttpOutcome).let { "${it.status} ${reasonPhrase(it.status)}" }
        verdict = event.verdict
    }

    override fun onQuotaTaken(event: RetryEvent.QuotaTaken) {
        tokens -= event.tokens
    }

    override fun onQuotaRefunded(event: RetryEvent.QuotaRefunded) {
        tokens += event.tokens
    }

    override fun onRetryScheduled(event: RetryEvent.RetryScheduled) {
        scheduled = event
        val asked = if (event.delayNanos > event.backoffNanos) ", as asked" else ""
        attemptLine(event, "wait ${briefText(event.delayNanos)}$asked")
    }

    override fun onCallSucceeded(event: RetryEvent.CallSucceeded) {
        attemptLine(event, "done")
        val attempts = if (event.attempts == 1) "the first attempt" else "attempt ${event.attempts}"
        val waited = event.totalDelayNanos
        val waiting = if (waited > 0) ", ${briefText(waited)} of it waiting to retry" else ""
        end(TextColors.green, "succeeded on $attempts, ${briefText(event.atNanos - startedAt)} after the start$waiting")
    }

    override fun onCallGaveUp(event: RetryEvent.CallGaveUp) {
        attemptLine(event, "stop")
        end(TextColors.red, explain(event))
    }

    override fun onCallCancelled(event: RetryEvent.CallCancelled) {
        val left = scheduled?.let { "${briefText(it.atNanos + it.delayNanos - event.atNanos)} before the next attempt" }
        val back = if (tokens == 0) "; what the retry had taken came back: quota ${quota()}" else ""
        end(TextColors.blue, "cancelled ${left ?: "in attempt ${event.attempts}"}$back")
    }

    private fun attemptLine(event: RetryEvent, next: String) {
        val (word, style) = classOf(verdict)
        val line = listOf(
            TextStyles.dim(clock(event.atNanos)),
            "attempt $number",
            outcome.take(OUTCOME).padEnd(OUTCOME),
            style(word.padEnd(CLASS)),
            next.padEnd(NEXT),
            TextStyles.dim("quota ${quota()}" + if (tokens == 0) "" else " (%+d)".format(Locale.ROOT, tokens)),
        )
        terminal.println(line.joinToString("  "))
    }

    private fun end(style: TextStyle, text: String) = terminal.println("$INDENT${style(text)}")

    private fun clock(at: Long) = INDENT + "+%.3fs".format(Locale.ROOT, (at - startedAt) / 1e9)

    private fun quota() = quota?.available?.toString() ?: "unlimited"

    private fun explain(event: RetryEvent.CallGaveUp): String = when (event.reason) {
        StopReason.ATTEMPTS -> "gave up: all ${event.attempts} attempts are used, the caller gets the last answer"
        StopReason.QUOTA -> "gave up: too few tokens are left for another retry"
        StopReason.DEADLINE -> "gave up: the next wait would cross the deadline"
        StopReason.REJECTED -> "not retried: another attempt would end the same way"
        StopReason.NOT_REPLAYABLE -> "not repeated: the server may have acted on it, and twice is worse than once"
        StopReason.TIME -> "gave up: the next attempt would begin too late"
        StopReason.RATE_LIMITED -> "gave up: there was no send permit"
        StopReason.RETRIED_BELOW -> "not retried: a call inside the attempt has retried and given up"
        StopReason.SUCCESS, StopReason.CANCELLED -> event.reason.word
    }

    private companion object {
        const val INDENT = "  "
        const val OUTCOME = 25
        const val CLASS = 10
        const val NEXT = 21

        fun classOf(verdict: Verdict): Pair<String, TextStyle> = when (verdict) {
            Verdict.Accept -> "accepted" to TextColors.green
            Verdict.Reject -> "final" to TextColors.red
            is Verdict.Retry -> verdict.kind.word to colorOf(verdict.kind)
        }

        fun colorOf(kind: FailureKind): TextStyle = when (kind) {
            FailureKind.TRANSIENT, FailureKind.TIMEOUT -> TextColors.yellow
            FailureKind.THROTTLING -> TextColors.magenta
        }

        fun describe(failure: Throwable): String = when (failure) {
            is AttemptTimeoutException -> "no answer within ${briefText(failure.timeout.inWholeNanoseconds)}"
            else -> generateSequence(failure) { it.cause }.last().let { it.message ?: it.javaClass.simpleName }
        }
    }
}
