package dev.reprise.okhttp

import okhttp3.MediaType
import okhttp3.RequestBody
import okio.BufferedSink

/**
 * A body that is written once, with a note of whether it was. Interceptors below may write it before there is a
 * connection, to sign or to pack it, without any event of OkHttp's.
 *
 * If [body] can be written again, OkHttp may do so where a server asks for another request: elsewhere, or with credentials.
 * That is no repeat.
 */
internal class OneShotWatch(val body: RequestBody) : RequestBody() {
    /** Whether someone has begun to read the body. */
    @Volatile
    var isSpent: Boolean = false
        private set

    @Volatile
    private var isAskedFor = false

    /** A server has answered the request by [status]. */
    fun answered(status: Int) {
        isAskedFor = status in REDIRECTS || status in CHALLENGES
    }

    override fun contentType(): MediaType? = body.contentType()

    override fun contentLength(): Long = body.contentLength()

    override fun isDuplex(): Boolean = body.isDuplex()

    override fun isOneShot(): Boolean = body.isOneShot() || !isAskedFor

    override fun writeTo(sink: BufferedSink) {
        isSpent = true
        body.writeTo(sink)
    }
}

private val REDIRECTS = 300..399
private val CHALLENGES = setOf(401, 407)
