package dev.reprise.ktor

import io.ktor.http.ContentType
import io.ktor.http.content.OutgoingContent
import io.ktor.utils.io.ByteReadChannel

/**
 * A body that is opened anew for every attempt, so that a request can stream and still be retried:
 * `setBody(ReplayableContent { file.readChannel() })`.
 */
public class ReplayableContent(
    override val contentType: ContentType? = null,
    override val contentLength: Long? = null,
    private val open: () -> ByteReadChannel,
) : OutgoingContent.ReadChannelContent() {
    override fun readFrom(): ByteReadChannel = open()
}
