package dev.reprise.ktor

import io.ktor.http.ContentType
import io.ktor.http.content.OutgoingContent
import io.ktor.utils.io.ByteReadChannel

/**
 * A body that is opened again for every attempt, so that a request can stream and still be retried:
 * `setBody(ReplayableContent { file.readChannel() })`.
 */
public class ReplayableContent(
    override val contentType: ContentType?,
    override val contentLength: Long?,
    private val open: () -> ByteReadChannel,
) : OutgoingContent.ReadChannelContent() {
    /** A body of unknown type and length. */
    public constructor(open: () -> ByteReadChannel) : this(contentType = null, contentLength = null, open)

    /** A body of [contentType] and unknown length. */
    public constructor(contentType: ContentType?, open: () -> ByteReadChannel) : this(contentType, null, open)

    override fun readFrom(): ByteReadChannel = open()
}
