package dev.reprise.ktor

import io.ktor.client.HttpClient
import io.ktor.client.call.HttpClientCall
import io.ktor.client.statement.HttpResponse
import io.ktor.http.Headers
import io.ktor.http.HttpProtocolVersion
import io.ktor.http.HttpStatusCode
import io.ktor.util.date.GMTDate
import io.ktor.utils.io.ByteReadChannel
import io.ktor.utils.io.InternalAPI
import io.ktor.utils.io.readAvailable
import io.ktor.utils.io.writeFully
import io.ktor.utils.io.writer
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.sync.Mutex
import kotlinx.coroutines.sync.withLock
import java.io.ByteArrayOutputStream
import java.io.IOException
import kotlin.coroutines.CoroutineContext

/**
 * The body of a failure that is read into memory only when a reader comes, and is kept as it is read: interceptors,
 * validators and loggers may read it as often as they like, and the caller gets it whole. Up to [bound] bytes; a body that is
 * longer can be read to its end once, by the reader that first passes the bound.
 *
 * Safe for any number of readers; they take turns.
 */
internal class KeptBody(val source: ByteReadChannel, private val scope: CoroutineScope, private val bound: Int) {
    private val turn = Mutex()
    private val kept = ByteArrayOutputStream()
    private var isForwarded = false
    private var isAtEnd = false
    private var failure: Throwable? = null

    /** A channel of the whole body. */
    fun open(): ByteReadChannel = scope.writer {
        var from = 0
        val buffer = ByteArray(CHUNK)
        while (true) {
            val part = turn.withLock { next(from, buffer) } ?: break
            channel.writeFully(part)
            channel.flush()
            from += part.size
        }
    }.channel

    /** What stands at [from], or `null` at the end; reads on if that is not there yet. */
    private suspend fun next(from: Int, buffer: ByteArray): ByteArray? {
        if (from < kept.size()) return kept.toByteArray().copyOfRange(from, kept.size())
        if (isForwarded &&
            from == kept.size()
        ) {
            throw IOException("a body of more than $bound bytes can be read only once")
        }
        failure?.let { throw it }
        if (isAtEnd) return null
        val read = try {
            source.readAvailable(buffer, 0, buffer.size)
        } catch (e: IOException) {
            failure = e
            throw e
        }
        if (read < 0) {
            isAtEnd = true
            return null
        }
        if (kept.size() + read <= bound) kept.write(buffer, 0, read) else isForwarded = true
        return buffer.copyOf(read)
    }

    private companion object {
        const val CHUNK = 4096
    }
}

/** The call of a failure with a [KeptBody]. */
@OptIn(InternalAPI::class)
internal class KeptCall(client: HttpClient, origin: HttpResponse, body: KeptBody) : HttpClientCall(client) {
    override val allowDoubleReceive: Boolean get() = true

    init {
        request = origin.call.request
        response = KeptResponse(this, origin, body)
    }
}

@OptIn(InternalAPI::class)
private class KeptResponse(
    override val call: HttpClientCall,
    private val origin: HttpResponse,
    private val body: KeptBody,
) : HttpResponse() {
    override val status: HttpStatusCode get() = origin.status
    override val version: HttpProtocolVersion get() = origin.version
    override val requestTime: GMTDate get() = origin.requestTime
    override val responseTime: GMTDate get() = origin.responseTime
    override val headers: Headers get() = origin.headers
    override val coroutineContext: CoroutineContext get() = origin.coroutineContext
    override val rawContent: ByteReadChannel get() = body.open()
}
