package dev.reprise.grpc

import dev.reprise.core.shell.time.SECOND
import io.grpc.Metadata

/**
 * Reads `google.rpc.RetryInfo` out of the trailer `grpc-status-details-bin`, a `google.rpc.Status` in protobuf's wire
 * format. A server's bytes may be hostile: malformed fields count as absent, and no more than [MOST_BYTES] are read.
 *
 * ```
 * Status    { 3: repeated Any details }
 * Any       { 1: type_url, 2: value }
 * RetryInfo { 1: Duration retry_delay }
 * Duration  { 1: int64 seconds, 2: int32 nanos }
 * ```
 */
internal object RetryInfo {
    /** Servers and proxies limit all metadata of a response to 8 KiB. */
    private const val MOST_BYTES = 8192
    private const val TYPE = "google.rpc.RetryInfo"

    val KEY: Metadata.Key<ByteArray> =
        Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER)

    /** The delay that [trailers] ask for in ns, not negative; `null` if they do not. */
    fun nanosIn(trailers: Metadata): Long? {
        val status = trailers[KEY] ?: return null
        if (status.size > MOST_BYTES) return null
        for (any in WireFormat(status).fields(3)) {
            val type = WireFormat(any).fields(1).lastOrNull() ?: continue
            // A type URL ends with the name, after whatever host.
            if (String(type, Charsets.UTF_8).substringAfterLast('/') != TYPE) continue
            val info = WireFormat(any).fields(2).lastOrNull() ?: continue
            val duration = WireFormat(info).fields(1).lastOrNull() ?: continue
            return nanosOf(WireFormat(duration).number(1), WireFormat(duration).number(2))
        }
        return null
    }

    /** A Duration of protobuf in ns; `null` for one that is negative or out of its range. */
    private fun nanosOf(seconds: Long, nanos: Long): Long? = when {
        seconds < 0 || nanos !in 0 until SECOND -> null
        seconds >= Long.MAX_VALUE / SECOND -> Long.MAX_VALUE
        else -> seconds * SECOND + nanos
    }
}

/** One message of protobuf's wire format, read field by field. Damaged bytes end the reading. */
internal class WireFormat(private val bytes: ByteArray) {
    private var at = 0

    /** The byte fields of this [number], in order. */
    fun fields(number: Int): List<ByteArray> = values(number).filterIsInstance<ByteArray>()

    /** The last varint field of this [number]; 0 if there is none, as in proto3. */
    fun number(number: Int): Long = values(number).filterIsInstance<Long>().lastOrNull() ?: 0

    private fun values(number: Int): List<Any> {
        val found = mutableListOf<Any>()
        while (at < bytes.size) {
            val tag = varint() ?: break
            val value: Any? = when ((tag and 7).toInt()) {
                0 -> varint()
                1 -> take(8)
                2 -> take(varint() ?: -1)
                5 -> take(4)
                else -> null
            }
            if (value == null) break
            if (tag ushr 3 == number.toLong()) found += value
        }
        return found
    }

    /** The next [length] bytes; `null` if they are not there. */
    private fun take(length: Long): ByteArray? {
        if (length < 0 || length > bytes.size - at) return null
        at += length.toInt()
        return bytes.copyOfRange(at - length.toInt(), at)
    }

    private fun varint(): Long? {
        var value = 0L
        var shift = 0
        while (at < bytes.size && shift < Long.SIZE_BITS) {
            val byte = bytes[at++].toInt()
            value = value or ((byte and 0x7f).toLong() shl shift)
            if (byte >= 0) return value
            shift += 7
        }
        return null
    }
}
