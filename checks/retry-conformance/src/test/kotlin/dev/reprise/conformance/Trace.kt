package dev.reprise.conformance

import dev.reprise.core.HttpOutcome
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.core.shell.http.ErrorCodes
import dev.reprise.core.shell.values.totalDelayNanos
import dev.reprise.grpc.GrpcResponse
import dev.reprise.test.RecordedCall
import dev.reprise.test.Recorder
import dev.reprise.test.VirtualTime
import io.grpc.StatusRuntimeException
import io.ktor.client.statement.HttpResponse
import java.net.http.HttpResponse as JavaHttpResponse

/** What can be seen of a scenario from outside: every event, how each call ended and when, and what is left. */
class Trace : RetryListener {
    private val lines = mutableListOf<String>()
    private val ended = mutableListOf<String>()
    private val traces = mutableListOf<String>()
    private val recorder = Recorder()

    /** How each call ended. */
    val ends = mutableListOf<End>()

    /** The same as text, with the time: what can be seen without a listener. */
    val endings = mutableListOf<String>()

    class End(val reason: StopReason?, val quota: Int?, val waitsNanos: List<Long>)

    override fun onEvent(event: RetryEvent) {
        recorder.onEvent(event)
        lines += if (event is RetryEvent.AttemptFailed) {
            "AttemptFailed@${event.atNanos} ${event.attempt}, ${event.verdict}: ${shown(event.failure ?: event.result)}"
        } else {
            // What failed last has been told, and is another exception where a face wraps it; no rule names that one.
            "$event".substringBefore(", last: ").substringBefore(" (no rule ")
        }
    }

    fun ended(ended: Ended, time: VirtualTime, quota: Int?) {
        val call = recorder.calls.lastOrNull()
        ends += End(call?.reason, quota, call?.waitsUntil(time.nanoTime()).orEmpty())
        val ending = "${shown(ended.thrown ?: ended.value)} after ${ended.attempts} attempts at ${time.nanoTime()}, " +
            "quota $quota, ${time.pending} timers"
        lines += ending
        endings += ending
        val outcome = ended.outcome ?: return
        this.ended += "$outcome after ${outcome.totalDelayNanos} ns of waits"
        if (outcome is RetryOutcome.Failure) traces += "${RetryTrace.of(outcome.failure)}"
    }

    /** What every face must tell alike. */
    override fun toString(): String = lines.joinToString("\n")

    /** That, and what outcomes say. */
    val withOutcomes: String get() = (lines + ended + traces).joinToString("\n")

    /** What outcomes say, with how calls ended; without times of attempts, which are not taken without a listener. */
    val outcomes: String get() = (endings + ended).joinToString("\n")
}

/** How long it was between the attempts, and from the last one to the call's end at [end]; without what took no time. */
private fun RecordedCall.waitsUntil(end: Long): List<Long> {
    val waits = mutableListOf<Long>()
    var failedAt = Long.MAX_VALUE
    for (event in events) {
        if (event is RetryEvent.AttemptStarted) waits += event.atNanos - failedAt
        if (event is RetryEvent.AttemptFailed) failedAt = event.atNanos
    }
    if (reason != StopReason.SUCCESS) waits += end - failedAt
    return waits.filter { it > 0 }
}

/** A result as every face has it. */
private fun shown(result: Any?): String = when (result) {
    is StatusRuntimeException -> "${result.status.cause?.let(::shown) ?: result.status.code}"
    is GrpcResponse -> shown(result.message)
    is Throwable -> result.javaClass.simpleName
    is HttpOutcome -> "HTTP ${result.status} ${result.errorCode.orEmpty()}"
    is HttpResponse -> "HTTP ${result.status.value} ${result.headers[ErrorCodes.HEADER].orEmpty()}"
    is JavaHttpResponse<*> -> "HTTP ${result.statusCode()} ${result.headers().firstValue(ErrorCodes.HEADER).orElse("")}"
    else -> "$result"
}
