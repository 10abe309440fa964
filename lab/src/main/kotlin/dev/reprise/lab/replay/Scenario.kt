package dev.reprise.lab.replay

import dev.reprise.core.CallOptions
import dev.reprise.core.HttpOutcome
import dev.reprise.core.RandomSource
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.http.ErrorCodes
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.presets.document.PolicyFormatException
import kotlinx.serialization.json.JsonPrimitive
import java.time.Instant
import java.time.ZoneOffset
import java.time.format.DateTimeFormatter
import java.util.Locale
import java.util.concurrent.CancellationException

/** A scenario to replay, as it was read. Played once: it holds the exceptions that will be thrown. */
internal class Scenario(
    val name: String?,
    val policy: RetryPolicy,
    private val drawn: List<Double>,
    /** The quota as it is at the start, or `null` for the policy's own, opened anew. */
    val quota: RetryQuota?,
    /** The clock's reading at the start, in ns. */
    val startAt: Long,
    val calls: List<Call>,
) {
    /** The draws in order; the last one repeats, and without any all are 1. */
    fun draws(): RandomSource {
        var next = 0
        return RandomSource { if (drawn.isEmpty()) 1.0 else drawn[minOf(next++, drawn.lastIndex)] }
    }

    /** One call; [path] is where the document describes it. */
    class Call(val path: String, val at: Long?, val options: CallOptions, private val outcomes: List<Outcome>) {
        /** Set once more attempts were made than there are outcomes for. */
        var shortage: PolicyFormatException? = null
            private set

        /** The outcome of attempt [number]. A call without enough outcomes is cancelled. */
        fun outcomeOf(number: Int): Outcome = outcomes.getOrNull(number - 1) ?: run {
            val rule = "must have an outcome for attempt $number, which the policy makes"
            shortage = PolicyFormatException("$path.outcomes", rule, "${outcomes.size} outcomes")
            throw CancellationException(rule)
        }
    }

    /** The outcome of one attempt after [takesNanos]. */
    sealed class Outcome(val takesNanos: Long)

    /** The attempt returns a response. Its code and its message stand for themselves or in the body, as services send them. */
    class Response(
        takesNanos: Long,
        val status: Int,
        private val code: String?,
        private val message: String?,
        private val headers: Map<String, String>,
        private val body: String?,
    ) : Outcome(takesNanos) {
        private val bytes = body?.encodeToByteArray()

        /** The response as the classifiers see it, when it came at [nanos] since 1970: read as it is on the wire. */
        fun received(nanos: Long): HttpOutcome = object : HttpOutcome() {
            private val sent = wireHeaders(nanos)
            private val read = wireBody().encodeToByteArray()
            override val status: Int get() = this@Response.status
            override val errorCode: String? get() = ErrorCodes.of(this, read)
            override val errorMessage: String? get() = ErrorCodes.messageOf(this, read)
            override val body: ByteArray? get() = bytes
            override val receivedAtEpochMillis: Long get() = Math.floorDiv(nanos, MILLI_NANOS)

            override fun header(name: String): String? = sent[name.lowercase()]

            override fun toString(): String = "status $status"
        }

        /** The headers as they are sent at [nanos] since 1970: with a date, as servers send it. */
        fun wireHeaders(nanos: Long): Map<String, String> {
            val second = Instant.ofEpochSecond(Math.floorDiv(nanos, SECOND_NANOS)).atOffset(ZoneOffset.UTC)
            val all = mapOf("date" to HTTP_DATE.format(second)) + headers
            return if (code == null) all else all + (ErrorCodes.HEADER to code)
        }

        fun wireBody(): String = body ?: message?.let { "{\"message\": ${JsonPrimitive(it)}}" } ?: ""
    }

    class Failure(takesNanos: Long, val failure: Throwable) : Outcome(takesNanos)

    companion object {
        /** How much of a failure's body is read. */
        const val PEEKED_BYTES = 64 * 1024

        private const val SECOND_NANOS = 1_000_000_000L
        private const val MILLI_NANOS = 1_000_000L

        // The formatter that Java has by that name writes days of one digit, which HTTP does not know.
        private val HTTP_DATE = DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH)
    }
}
