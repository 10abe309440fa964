package dev.reprise.ktor

import dev.reprise.core.classify.ErrorCodes
import dev.reprise.core.classify.HttpOutcome
import io.ktor.client.call.HttpClientCall
import io.ktor.client.statement.HttpResponse

/**
 * A response as the classifiers see it: what an attempt of [Retry] results in, and what its listeners are told. Lets go of
 * the response when it is rejected and another attempt follows; status and error code stay.
 */
public class KtorOutcome internal constructor(call: HttpClientCall) : HttpOutcome() {
    /** The call, which the caller gets; `null` once it was let go. */
    internal var call: HttpClientCall? = call
        private set

    private var codeInBody: String? = null
    private var codeOnceLetGo: String? = null

    override val status: Int = call.response.status.value

    /** The response, or `null` once it was let go. */
    public val response: HttpResponse? get() = call?.response

    override val errorCode: String?
        get() = header(ErrorCodes.HEADER)?.let(ErrorCodes::ofHeader) ?: codeInBody ?: codeOnceLetGo

    override val receivedAtEpochMillis: Long get() = response?.responseTime?.timestamp ?: UNKNOWN_TIME

    override fun header(name: String): String? = response?.headers?.get(name)

    /** Looks for the error code in the first [limit] bytes of a failure's body, which the caller can still read whole. */
    internal suspend fun searchBody(limit: Int) {
        val call = call ?: return
        if (status in SUCCESSES || errorCode != null) return
        val (head, peeked) = peek(call, limit)
        this.call = peeked
        codeInBody = ErrorCodes.ofBody(head)
    }

    /** Lets go of the response, so that its connection is free or closed. */
    internal suspend fun release(drainBytes: Long) {
        val rejected = call ?: return
        codeOnceLetGo = errorCode
        call = null
        release(rejected.response, drainBytes)
    }

    override fun toString(): String = "HTTP $status" + (errorCode?.let { " $it" } ?: "")

    private companion object {
        val SUCCESSES = 200..299
    }
}
