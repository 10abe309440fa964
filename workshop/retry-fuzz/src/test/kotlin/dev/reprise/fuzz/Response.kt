package dev.reprise.fuzz

import dev.reprise.core.HttpOutcome

/** A response that a hostile server sent. */
internal class Response(
    override val status: Int = 503,
    override val errorCode: String? = null,
    override val errorMessage: String? = null,
    override val body: ByteArray? = null,
    override val receivedAtEpochMillis: Long = UNKNOWN_TIME,
    private val headers: Map<String, String> = emptyMap(),
) : HttpOutcome() {
    override fun header(name: String): String? = headers[name]
}
