package dev.reprise.ktor

import dev.reprise.core.shell.http.BodyPeek
import dev.reprise.core.shell.http.ReadOutcome
import io.ktor.client.call.HttpClientCall
import io.ktor.client.plugins.isSaved
import io.ktor.client.statement.HttpResponse

/**
 * A response as the classifiers see it: the result of an attempt of [Retry], also in its listeners' events. Releases
 * the response when it is rejected and another attempt follows; status and error code stay.
 */
public class KtorOutcome internal constructor(call: HttpClientCall) :
    ReadOutcome(call.response.responseTime.timestamp) {
    /** The call, which the caller gets; `null` once it was released. */
    internal var call: HttpClientCall? = call
        private set

    override var read: ByteArray? = null
        private set

    override var isWhole: Boolean = false
        private set
    private var codeOnceReleased: String? = null

    override val status: Int = call.response.status.value

    /** The response, or `null` once it was released. */
    public val response: HttpResponse? get() = call?.response

    override val errorCode: String? get() = super.errorCode ?: codeOnceReleased

    override fun header(name: String): String? = response?.headers?.get(name)

    /** This with the [call] that its response was given to the caller's plugins in. */
    internal fun of(call: HttpClientCall): KtorOutcome = apply { this.call = call }

    /** Reads as much of the body as [peek] says; the caller can still read it whole. One that is streamed is not read. */
    internal suspend fun look(peek: BodyPeek) {
        val call = call ?: return
        val limit = peek.bytesOf(status)
        if (limit == 0 || (status in SUCCESSES && !call.response.isSaved)) return
        val head = peek(call, limit)
        this.call = head.call
        read = head.bytes
        isWhole = head.isWhole && !call.isUnpacked
    }

    /** Releases the response, so that its connection is free or closed. */
    internal suspend fun release(drainBytes: Long) {
        val rejected = call ?: return
        codeOnceReleased = errorCode
        read = null
        isWhole = false
        call = null
        release(rejected.response, drainBytes)
    }
}

private val SUCCESSES = 200..299
