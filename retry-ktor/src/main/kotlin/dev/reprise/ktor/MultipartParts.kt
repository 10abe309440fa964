package dev.reprise.ktor

import io.ktor.client.request.forms.MultiPartFormDataContent
import io.ktor.http.content.PartData
import io.ktor.utils.io.ByteReadChannel
import io.ktor.utils.io.InternalAPI
import io.ktor.utils.io.cancel
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.runInterruptible
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull
import kotlinx.io.Source
import java.security.MessageDigest

/** How much of a form is read to find out whether it can be sent again. */
private const val MOST_BYTES = 16L * 1024 * 1024

/** How long that may take. */
private const val MOST_MILLIS = 1_000L

private const val CHUNK = 8192

/**
 * Whether all parts of this body can be sent again, tested right before that. A part can if its provider gives the same
 * bytes twice, from the first to the last, one after the other. A stream that was read to its end is empty, so a
 * provider of the same stream, or of new views of it, never passes. Nor does an empty part, or one too long to be
 * compared within [MOST_BYTES] and a second.
 */
@OptIn(InternalAPI::class)
internal suspend fun MultiPartFormDataContent.canBeSentAgain(): Boolean = try {
    val readings = Readings(MOST_BYTES)
    // Reading blocks, and time that a test simulates is not what limits it.
    withContext(Dispatchers.IO) {
        withTimeoutOrNull(MOST_MILLIS) { parts.all { it.isMadeAnew(readings) } }
    } == true
} catch (e: Exception) {
    currentCoroutineContext().ensureActive()
    // A provider that fails now would fail in the next attempt.
    false
}

private suspend fun PartData.isMadeAnew(readings: Readings): Boolean = when (this) {
    is PartData.FormItem -> true
    is PartData.BinaryItem -> isMadeAnew { readings.of(provider) }
    is PartData.FileItem -> isMadeAnew { readings.ofChannel(provider) }
    is PartData.BinaryChannelItem -> isMadeAnew { readings.ofChannel(provider) }
}

private inline fun isMadeAnew(read: () -> ByteArray?): Boolean {
    val first = read() ?: return false
    return read().contentEquals(first)
}

/** Reads bodies to their end, as long as [left] bytes in all are not passed. */
private class Readings(private var left: Long) {
    private val buffer = ByteArray(CHUNK)

    /** The digest of the bytes from [provider]; `null` if there are none or too many. */
    suspend fun of(provider: () -> Source): ByteArray? = runInterruptible {
        provider().use { source -> digest { source.readAtMostTo(buffer, 0, CHUNK) } }
    }

    suspend fun ofChannel(provider: () -> ByteReadChannel): ByteArray? {
        val channel = provider()
        try {
            return digest { channel.readMore(buffer, 0, CHUNK) }
        } finally {
            channel.cancel()
        }
    }

    private inline fun digest(read: () -> Int): ByteArray? {
        val digest = MessageDigest.getInstance("SHA-256")
        var isEmpty = true
        while (true) {
            val count = read()
            if (count < 0) return if (isEmpty) null else digest.digest()
            left -= count
            if (left < 0) return null
            if (count > 0) isEmpty = false
            digest.update(buffer, 0, count)
        }
    }
}
