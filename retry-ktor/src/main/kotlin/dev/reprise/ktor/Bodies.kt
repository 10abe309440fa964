package dev.reprise.ktor

import dev.reprise.core.shell.http.BodyPeek
import io.ktor.client.call.HttpClientCall
import io.ktor.client.call.replaceResponse
import io.ktor.client.plugins.isSaved
import io.ktor.client.statement.HttpResponse
import io.ktor.http.Headers
import io.ktor.http.HttpHeaders
import io.ktor.http.HttpMethod
import io.ktor.http.HttpStatusCode
import io.ktor.util.AttributeKey
import io.ktor.util.appendAll
import io.ktor.util.filter
import io.ktor.utils.io.ByteReadChannel
import io.ktor.utils.io.InternalAPI
import io.ktor.utils.io.cancel
import io.ktor.utils.io.discard
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableJob
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.job
import kotlinx.io.Buffer
import kotlinx.io.readByteArray
import java.io.IOException
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.nanoseconds

/** How long a rejected response may take to be drained. After that it is cancelled, which costs a connection. */
private val DRAIN_LIMIT = 100.milliseconds

/** How long to wait for the beginning of a body. The policy sees the bytes that have come by then. */
private val PEEK_LIMIT = BodyPeek.LONGEST_NANOS.nanoseconds

/** The beginning of a body. */
internal class Head(
    val bytes: ByteArray,
    /** Whether this is all of it. */
    val isWhole: Boolean,
    /** The call to go on with, whose body is still whole. */
    val call: HttpClientCall,
)

/**
 * The first [limit] bytes of the body of [call], and one more that says whether there are more; or those that come within a
 * second. A body that breaks off ends there.
 */
@OptIn(InternalAPI::class)
internal suspend fun peek(call: HttpClientCall, limit: Int): Head {
    val enough = limit + 1L
    val whole = if (call.response.isSaved || keptBodyOf(call) != null) call else withKeptHead(call, enough)
    val channel = whole.response.rawContent
    val head = Buffer()
    var isWhole = false
    orNullAfter(PEEK_LIMIT) {
        try {
            while (head.size < enough && channel.awaitContent()) {
                channel.readBuffer.readAtMostTo(head, enough - head.size)
            }
            isWhole = head.size < enough && channel.closedCause == null
        } catch (_: Exception) {
            // The body's reader gets the same failure.
            currentCoroutineContext().ensureActive()
        }
    }
    currentCoroutineContext().ensureActive()
    channel.cancel()
    return Head(head.readByteArray(), isWhole, whole)
}

/** [call] with a body whose first [bytes] may be read by more than one reader, and all of it by one. */
@OptIn(InternalAPI::class)
private fun withKeptHead(call: HttpClientCall, bytes: Long): HttpClientCall {
    val body = KeptBody.ofHead(call.response.rawContent, bytes.coerceAtMost(Int.MAX_VALUE.toLong()).toInt())
    return call.replaceResponse { body.open() }
}

/**
 * The note of `ContentEncoding` about a response that it unpacks. The key is internal there, and keys are equal by
 * name.
 */
private val UNPACKED = AttributeKey<List<String>>("DecompressionListAttribute")

/** Whether `ContentEncoding` unpacks the response's body. */
internal val HttpClientCall.isUnpacked: Boolean get() = UNPACKED in attributes

/**
 * Reads a saved body that is compressed. It was saved as it came and is unpacked whenever it is read: data that is damaged
 * would else show only in the caller's hands, after the last attempt.
 */
@OptIn(InternalAPI::class)
internal suspend fun unpackOnce(call: HttpClientCall) {
    val response = call.response
    if (!call.isUnpacked || !response.isSaved) return
    val unpacked = response.rawContent
    val failure = try {
        unpacked.discard()
        // A channel that breaks off before it is read looks like one that has ended.
        unpacked.closedCause
    } catch (e: IOException) {
        e
    }
    if (failure == null) return
    throw if (hasBody(call.request.method, response.status)) failure else NothingToUnpackException(failure)
}

/** `ContentEncoding` has tried to unpack a body that is not there. It will do so again. */
internal class NothingToUnpackException(cause: Throwable) :
    IOException(
        "no response to HEAD, no 204 and no 304 has a body, but ContentEncoding unpacks it: do without it there",
        cause,
    )

/** Whether a response with this [status] to a request with this [method] has a body, whatever its head says of one. */
internal fun hasBody(method: HttpMethod, status: HttpStatusCode) =
    method != HttpMethod.Head && status != HttpStatusCode.NoContent && status != HttpStatusCode.NotModified

/**
 * Ends [response]. Reads at most [drainBytes] of the rest of its body, so that the connection can be used again.
 * Cancels it if there is more, if it takes too long or fails. Throws only the caller's cancellation.
 */
internal suspend fun release(response: HttpResponse, drainBytes: Long) {
    val job = response.coroutineContext.job
    if (response.isSaved || isDrained(response, drainBytes)) {
        (job as CompletableJob).complete()
    } else {
        job.cancel(CancellationException("rejected, to be retried"))
    }
    // An engine gives the connection back, or closes it, on its own threads.
    if (!job.isCompleted) orNullAfter(DRAIN_LIMIT) { job.join() }
    currentCoroutineContext().ensureActive()
}

@OptIn(InternalAPI::class)
private suspend fun isDrained(response: HttpResponse, drainBytes: Long): Boolean {
    val kept = keptBodyOf(response.call)
    val body = kept?.rest() ?: response.rawContent
    val isAtEnd = try {
        body.hasEnded || orNullAfter(DRAIN_LIMIT) {
            body.discard(drainBytes)
            !body.awaitContent()
        } == true
    } catch (_: Exception) {
        // Its failure does not matter: the response is not needed any more. A cancelled caller notices in the next
        // step.
        false
    }
    if (!isAtEnd) (kept?.source ?: body).cancel()
    return isAtEnd
}

/** This call with nothing left of its body. */
internal fun HttpClientCall.withoutBody(): HttpClientCall {
    val others = response.headers.filter { name, _ -> !name.equals(HttpHeaders.ContentLength, ignoreCase = true) }
    return replaceResponse(Headers.build { appendAll(others) }) { ByteReadChannel.Empty }
}
