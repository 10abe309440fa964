package dev.reprise.spring.http

import dev.reprise.core.shell.http.BodyPeek
import org.springframework.http.HttpHeaders
import org.springframework.http.HttpHeaders.TRANSFER_ENCODING

/** How much of a response's body is read within the attempt, on every HTTP face of Spring. */
internal object HeldBytes {
    private const val FIRST_FAILURE = 300
    private val STREAMS = listOf("event-stream", "ndjson", "jsonl", "json-seq", "stream+json")

    /** Whether a response of this [status] is no good one: then its caller sees a break of its body where it is. */
    fun isFailure(status: Int): Boolean = status >= FIRST_FAILURE

    /** How many bytes are read of a response with these [headers], [goodBytes] of a good one at most; 0 if it is to be left alone. */
    fun of(headers: HttpHeaders, status: Int, goodBytes: Int): Int = when {
        isFailure(status) -> maxOf(BodyPeek.LEAST_FOR_RULES, goodBytes)
        goodBytes == 0 || !isHeld(headers, goodBytes) -> 0
        else -> goodBytes
    }

    /** The length that the server says; -1 if it says none that can be read, or sends chunks, which count then. */
    fun lengthOf(headers: HttpHeaders): Long =
        if (headers.containsHeader(TRANSFER_ENCODING)) -1 else runCatching { headers.contentLength }.getOrDefault(-1)

    private fun isHeld(headers: HttpHeaders, limit: Int): Boolean {
        val type = runCatching { headers.contentType }.getOrNull()
        if (type != null && STREAMS.any { it in type.subtype }) return false
        val length = lengthOf(headers)
        if (length >= 0) return length <= limit
        return type == null || type.type == "text" || "json" in type.subtype || "xml" in type.subtype
    }
}
