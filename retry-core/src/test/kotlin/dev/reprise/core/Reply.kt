package dev.reprise.core

/** A response that a test makes up. */
internal class Reply(
    override val status: Int,
    override val errorCode: String? = null,
    private val headers: Map<String, String> = emptyMap(),
    override val body: ByteArray? = null,
    override val receivedAtEpochMillis: Long = UNKNOWN_TIME,
) : HttpOutcome() {
    override fun header(name: String): String? =
        headers.entries.firstOrNull { it.key.equals(name, ignoreCase = true) }?.value
}

/** An exception that has a response, and says nothing else. */
internal class ReplyException(override val http: HttpOutcome) :
    RuntimeException(),
    HttpFailure
