package dev.reprise.ktor

import io.ktor.utils.io.ByteReadChannel
import io.ktor.utils.io.readAvailable

/* A channel that broke off says that it is closed, as one that has ended does. Its cause distinguishes the two. */

/** Whether the channel has ended without an error, as far as is known without reading. */
internal val ByteReadChannel.hasEnded: Boolean get() = isClosedForRead && closedCause == null

/** As [readAvailable], but a body that broke off throws what it broke off with: that says -1 of it, as at the end. */
internal suspend fun ByteReadChannel.readMore(into: ByteArray, from: Int, most: Int): Int {
    val read = readAvailable(into, from, most)
    if (read < 0) closedCause?.let { throw it }
    return read
}
