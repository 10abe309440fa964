package dev.reprise.ktor

import io.ktor.http.ContentType
import io.ktor.http.Headers
import io.ktor.http.HttpStatusCode
import io.ktor.http.content.OutgoingContent
import io.ktor.util.AttributeKey
import io.ktor.utils.io.ByteReadChannel
import io.ktor.utils.io.ByteWriteChannel

/*
 * A body that can be read once is sent once; one that no connection has opened yet may still be sent. So it is sent in a
 * wrapper that notes when it is opened.
 */

/** Whether a body was opened. */
internal class Opening {
    @Volatile
    var hasBegun: Boolean = false
        private set

    fun begin() {
        hasBegun = true
    }

    /** This, begun if [earlier] has. */
    fun after(earlier: Opening): Opening = apply { if (earlier.hasBegun) begin() }
}

/**
 * [body] as one that notes in [opening] when it is opened; `null` if it is of a kind that has no such moment. One that another call
 * has opened, such as the hop before a redirect, stays so.
 */
internal fun watched(body: OutgoingContent, opening: Opening): OutgoingContent? = when (body) {
    is OneShotChannel -> OneShotChannel(body.body, opening.after(body.opening))
    is OneShotWriter -> OneShotWriter(body.body, opening.after(body.opening))
    is OutgoingContent.ReadChannelContent -> OneShotChannel(body, opening)
    is OutgoingContent.WriteChannelContent -> OneShotWriter(body, opening)
    is OutgoingContent.ContentWrapper -> watched(body.delegate(), opening)?.let { body.copy(it) }
    else -> null
}

private class OneShotChannel(val body: OutgoingContent.ReadChannelContent, val opening: Opening) :
    OutgoingContent.ReadChannelContent() {
    override val contentType: ContentType? get() = body.contentType
    override val contentLength: Long? get() = body.contentLength
    override val status: HttpStatusCode? get() = body.status
    override val headers: Headers get() = body.headers

    override fun <T : Any> getProperty(key: AttributeKey<T>): T? = body.getProperty(key)

    override fun <T : Any> setProperty(key: AttributeKey<T>, value: T?): Unit = body.setProperty(key, value)

    override fun trailers(): Headers? = body.trailers()

    override fun readFrom(): ByteReadChannel = begun().readFrom()

    override fun readFrom(range: LongRange): ByteReadChannel = begun().readFrom(range)

    private fun begun() = body.also { opening.begin() }
}

private class OneShotWriter(val body: OutgoingContent.WriteChannelContent, val opening: Opening) :
    OutgoingContent.WriteChannelContent() {
    override val contentType: ContentType? get() = body.contentType
    override val contentLength: Long? get() = body.contentLength
    override val status: HttpStatusCode? get() = body.status
    override val headers: Headers get() = body.headers

    override fun <T : Any> getProperty(key: AttributeKey<T>): T? = body.getProperty(key)

    override fun <T : Any> setProperty(key: AttributeKey<T>, value: T?): Unit = body.setProperty(key, value)

    override fun trailers(): Headers? = body.trailers()

    override suspend fun writeTo(channel: ByteWriteChannel) {
        opening.begin()
        body.writeTo(channel)
    }
}
