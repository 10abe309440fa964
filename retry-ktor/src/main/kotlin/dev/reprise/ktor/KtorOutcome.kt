package dev.reprise.ktor

import dev.reprise.core.HttpOutcome
import dev.reprise.core.shell.http.BodyPeek
import dev.reprise.core.shell.http.ErrorCodes
import io.ktor.client.call.HttpClientCall
import io.ktor.client.plugins.isSaved
import io.ktor.client.statement.HttpResponse

/**
 * A response as the classifiers see it: the result of an attempt of [Retry], also in its listeners' events. Releases
 * the response when it is rejected and another attempt follows; status and error code stay.
 */
public class KtorOutcome internal constructor(call: HttpClientCall) : HttpOutcome() {
    /** The call, which the caller gets; `null` once it was released. */
    internal var call: HttpClientCall? = call
        private set

    private var read: ByteArray? = null
    private var isRaw = false
    private var codeOnceReleased: String? = null

    override val status: Int = call.response.status.value

    /** The response, or `null` once it was released. */
    public val response: HttpResponse? get() = call?.response

    override val errorCode: String? get() = ErrorCodes.of(this, read) ?: codeOnceReleased

    /** The service's error message, if a failure's body was read; see [RetryPluginConfig.errorBodyBytes]. */
    override val errorMessage: String? get() = ErrorCodes.messageOf(this, read)

    /**
     * The whole body as the server sent it. `null` if it was not read, is longer than the bytes that are read for the
     * policy, or was unpacked by `ContentEncoding`. An engine may unpack unnoticed: OkHttp does, unless the request names an
     * `Accept-Encoding`.
     */
    override val body: ByteArray? get() = if (isRaw) read?.copyOf() else null

    override val receivedAtEpochMillis: Long get() = response?.responseTime?.timestamp ?: UNKNOWN_TIME

    override fun header(name: String): String? = response?.headers?.get(name)

    /** Reads as much of the body as [peek] says; the caller can still read it whole. One that is streamed is not read. */
    internal suspend fun look(peek: BodyPeek) {
        val call = call ?: return
        val limit = peek.bytesOf(status)
        if (limit == 0 || (status in SUCCESSES && !call.response.isSaved)) return
        val head = peek(call, limit)
        this.call = head.call
        read = head.bytes
        isRaw = head.isWhole && !call.isUnpacked
    }

    /** Releases the response, so that its connection is free or closed. */
    internal suspend fun release(drainBytes: Long) {
        val rejected = call ?: return
        codeOnceReleased = errorCode
        read = null
        isRaw = false
        call = null
        release(rejected.response, drainBytes)
    }

    private companion object {
        val SUCCESSES = 200..299
    }
}
