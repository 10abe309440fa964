package dev.reprise.lab.replay

import dev.reprise.core.CallOptions
import dev.reprise.core.RetryPolicy
import dev.reprise.core.backoff.Draws
import dev.reprise.core.classify.HttpOutcome
import dev.reprise.core.document.PolicyFormatException
import dev.reprise.core.quota.RetryQuota
import java.util.concurrent.CancellationException

/** What to replay, as it was read. Played once: it holds the exceptions that will be thrown. */
internal class Scenario(
    val name: String?,
    val policy: RetryPolicy,
    private val drawn: List<Double>,
    /** The quota as it is at the start, or `null` where retries are free. */
    val quota: RetryQuota?,
    /** The clock's reading at the start, in ns. */
    val startAt: Long,
    val calls: List<Call>,
) {
    /** The draws in order; the last one repeats, and without any all are 1. */
    fun draws(): Draws {
        var next = 0
        return Draws { if (drawn.isEmpty()) 1.0 else drawn[minOf(next++, drawn.lastIndex)] }
    }

    /** One call; [path] is where the document describes it. */
    class Call(val path: String, val at: Long?, val options: CallOptions, private val outcomes: List<Outcome>) {
        /** Set once more attempts were made than there are outcomes for. */
        var shortage: PolicyFormatException? = null
            private set

        /** What attempt [number] gives. A call that needs more than it was given is cancelled. */
        fun outcomeOf(number: Int): Outcome = outcomes.getOrNull(number - 1) ?: run {
            val rule = "must have an outcome for attempt $number, which the policy makes"
            shortage = PolicyFormatException("$path.outcomes", rule, "${outcomes.size} outcomes")
            throw CancellationException(rule)
        }
    }

    /** What one attempt gives after [takesNanos]. */
    sealed class Outcome(val takesNanos: Long)

    /** The attempt returns a response. */
    class Response(
        takesNanos: Long,
        val status: Int,
        val code: String?,
        private val message: String?,
        val headers: Map<String, String>,
        val body: ByteArray?,
    ) : Outcome(takesNanos) {
        /** The response as the classifiers see it, when it came at [nanos] since 1970. */
        fun received(nanos: Long): HttpOutcome = object : HttpOutcome() {
            override val status: Int get() = this@Response.status
            override val errorCode: String? get() = code
            override val errorMessage: String? get() = message
            override val body: ByteArray? get() = this@Response.body
            override val receivedAtEpochMillis: Long get() = Math.floorDiv(nanos, 1_000_000L)

            override fun header(name: String): String? = headers[name.lowercase()]

            override fun toString(): String = "status $status"
        }
    }

    /** The attempt throws [failure]. */
    class Failure(takesNanos: Long, val failure: Throwable) : Outcome(takesNanos)
}
