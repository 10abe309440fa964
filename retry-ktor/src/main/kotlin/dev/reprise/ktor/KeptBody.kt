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
import kotlinx.coroutines.sync.Mutex
import kotlinx.coroutines.sync.withLock
import kotlinx.io.Buffer
import kotlinx.io.Source
import java.io.ByteArrayOutputStream
import java.io.IOException
import java.util.concurrent.ConcurrentHashMap
import kotlin.coroutines.CoroutineContext

/**
 * The body of a failure, read into memory only when a reader comes, and kept then. Interceptors, validators and loggers
 * may read it any number of times, and the caller gets it whole. Keeps up to [bound] bytes. A longer body can be read
 * to its end once, by the reader that first passes the bound.
 *
 * Safe for any number of readers; they take turns.
 */
internal class KeptBody(val source: ByteReadChannel, private val bound: Int) {
    private val turn = Mutex()
    private val kept = ByteArrayOutputStream()

    /** The readers that may still want more. */
    private val readers = ConcurrentHashMap.newKeySet<Reader>()
    private var isForwarded = false
    private var isAtEnd = false
    private var failure: Throwable? = null

    /** A channel of the whole body for one reader. Nothing is read before that reader asks for it. */
    fun open(): ByteReadChannel = Reader(0)

    /**
     * A channel of the rest of the body, for a reader that drops it. A logger that is still reading gets the whole body all the
     * same. Without such a reader nothing is kept.
     */
    fun rest(): ByteReadChannel = if (readers.isEmpty()) source else Reader(kept.size())

    /** Adds what stands at [from] to [part], or reads on if that is not there yet; how many bytes, or -1 at the end. */
    private suspend fun read(from: Int, part: Buffer): Int {
        val there = kept.size() - from
        if (there > 0) {
            part.write(kept.toByteArray(), from, kept.size())
            return there
        }
        if (isForwarded && there == 0) throw IOException("a body of more than $bound bytes can be read only once")
        failure?.let { throw it }
        if (isAtEnd || source.hasEnded) return -1
        val chunk = ByteArray(CHUNK)
        val read = try {
            source.readMore(chunk, 0, chunk.size)
        } catch (e: IOException) {
            failure = e
            throw e
        }
        if (read < 0) {
            isAtEnd = true
            return -1
        }
        if (kept.size() + read <= bound) kept.write(chunk, 0, read) else isForwarded = true
        part.write(chunk, 0, read)
        return read
    }

    private inner class Reader(private var from: Int) : ByteReadChannel {
        private val part = Buffer()
        private var hasAll = false

        @Volatile
        private var cut: Throwable? = null

        init {
            readers += this
        }

        override val closedCause: Throwable? get() = cut
        override val isClosedForRead: Boolean get() = cut != null || (hasAll && part.exhausted())

        @InternalAPI
        override val readBuffer: Source
            get() {
                cut?.let { throw it }
                return part
            }

        override suspend fun awaitContent(min: Int): Boolean {
            while (cut == null && part.size < min && !hasAll) {
                val read = try {
                    turn.withLock { read(from, part) }
                } catch (e: IOException) {
                    cut = e
                    break
                }
                if (read < 0) hasAll = true else from += read
            }
            if (cut != null || hasAll) readers -= this
            cut?.let { throw it }
            return part.size >= min
        }

        override fun cancel(cause: Throwable?) {
            if (cut == null) cut = IOException(cause?.message ?: "the reader has cancelled its channel", cause)
            readers -= this
        }
    }

    companion object {
        private const val CHUNK = 4096

        /** A body of which the first [bytes] are kept. One read may bring more than that. */
        fun ofHead(source: ByteReadChannel, bytes: Int): KeptBody =
            KeptBody(source, bound = minOf(bytes, Int.MAX_VALUE - CHUNK) + CHUNK)
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
