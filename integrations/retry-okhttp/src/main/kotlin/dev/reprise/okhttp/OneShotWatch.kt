package dev.reprise.okhttp

import okhttp3.MediaType
import okhttp3.RequestBody
import okio.BufferedSink

/**
 * A body that is written once, with a note of whether it was. Interceptors below may write it before there is a
 * connection, to sign or to pack it, without any event of OkHttp's.
 */
internal class OneShotWatch(private val body: RequestBody) : RequestBody() {
    /** Whether someone has begun to read the body. */
    @Volatile
    var isSpent: Boolean = false
        private set

    override fun contentType(): MediaType? = body.contentType()

    override fun contentLength(): Long = body.contentLength()

    override fun isOneShot(): Boolean = true

    override fun writeTo(sink: BufferedSink) {
        isSpent = true
        body.writeTo(sink)
    }
}
