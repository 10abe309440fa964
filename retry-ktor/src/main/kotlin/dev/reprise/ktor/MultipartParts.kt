package dev.reprise.ktor

import io.ktor.client.request.forms.MultiPartFormDataContent
import io.ktor.http.content.PartData
import io.ktor.utils.io.ByteReadChannel
import io.ktor.utils.io.InternalAPI
import io.ktor.utils.io.cancel
import io.ktor.utils.io.readAvailable
import kotlinx.coroutines.withTimeoutOrNull
import kotlinx.io.Source

/** How much of a part is looked at: what a buffered stream reads at once. */
private const val PROBE_BYTES = 8192

private const val PROBE_MILLIS = 200L

/**
 * Whether all parts of this body can be sent again, found out right before that is done: each provider is asked twice. One
 * that returns the same object twice, nothing, or two things that begin differently gives a stream that is used up. A part that
 * cannot be told apart is not sent again, the whole body neither.
 */
@OptIn(InternalAPI::class)
internal suspend fun MultiPartFormDataContent.canBeSentAgain(): Boolean = try {
    withTimeoutOrNull(PROBE_MILLIS) { parts.all { it.isMadeAnew() } } == true
} catch (e: LinkageError) {
    // Before Ktor 3.6 the parts are private.
    false
}

private suspend fun PartData.isMadeAnew(): Boolean = when (this) {
    is PartData.FormItem -> true
    is PartData.BinaryItem -> beginAlike(provider)
    is PartData.FileItem -> channelsBeginAlike(provider)
    is PartData.BinaryChannelItem -> channelsBeginAlike(provider)
}

private fun beginAlike(provider: () -> Source): Boolean = provider().use { first ->
    provider().use { second ->
        first !== second && areAlike(first.begin(), second.begin())
    }
}

private suspend fun channelsBeginAlike(provider: () -> ByteReadChannel): Boolean {
    val first = provider()
    try {
        val second = provider()
        try {
            return first !== second && areAlike(first.begin(), second.begin())
        } finally {
            second.cancel()
        }
    } finally {
        first.cancel()
    }
}

/** A part that is empty now may have been used up. */
private fun areAlike(first: ByteArray, second: ByteArray) = first.isNotEmpty() && first.contentEquals(second)

private fun Source.begin(): ByteArray {
    val bytes = ByteArray(PROBE_BYTES)
    var size = 0
    while (size < PROBE_BYTES) {
        val read = readAtMostTo(bytes, size, PROBE_BYTES)
        if (read < 0) break
        size += read
    }
    return bytes.copyOf(size)
}

private suspend fun ByteReadChannel.begin(): ByteArray {
    val bytes = ByteArray(PROBE_BYTES)
    var size = 0
    while (size < PROBE_BYTES) {
        val read = readAvailable(bytes, size, PROBE_BYTES - size)
        if (read < 0) break
        size += read
    }
    return bytes.copyOf(size)
}
