package dev.reprise.ktor

import dev.reprise.core.RetryPolicy
import io.ktor.client.HttpClient
import io.ktor.client.call.HttpClientCall
import io.ktor.client.call.save
import io.ktor.client.statement.HttpReceivePipeline
import io.ktor.client.statement.HttpResponse
import io.ktor.util.AttributeKey
import io.ktor.util.pipeline.PipelinePhase
import io.ktor.utils.io.InternalAPI

/*
 * Ktor reads the body of every response that is not streamed into memory, and keeps the response until the next one is
 * sent. For a response that may be retried that is memory held over a wait, as much as the server likes, and as much time. So
 * failures stay unread until a reader asks for them, and the last one of a call is read when the call is over.
 */

/** Ktor's own mark of a response that is not read into memory. It is private there, and keys are equal by name. */
internal val SKIP_SAVE_BODY = AttributeKey<Unit>("SkipSaveBody")

/** Ours, for the responses that Ktor would have read. */
private val UNSAVED = AttributeKey<KeptBody>("RepriseUnsaved")

/** Ours, for an attempt, whose attributes Ktor copies. */
internal val SEEN_HEAD = AttributeKey<SeenHead>("RepriseSeenHead")

/** The head of the last response to an attempt under [policy]. */
internal class SeenHead(private val policy: RetryPolicy) {
    @Volatile
    private var outcome: KtorOutcome? = null

    /** Whether the response has no body, whatever its head says of one. */
    @Volatile
    var isBodiless: Boolean = false
        private set

    /** Sees the head of [response]. Returns whether the policy rejects it by that. */
    fun rejects(response: HttpResponse): Boolean {
        isBodiless = !hasBody(response.call.request.method, response.status)
        return KtorOutcome(response.call).also { outcome = it }.isRejectedUnread(policy)
    }

    /** The outcome of [call], with the verdict on its head if it is still that response: a cache may answer by another one. */
    fun outcomeOf(call: HttpClientCall): KtorOutcome =
        outcome?.takeIf { it.status == call.response.status.value }?.of(call) ?: KtorOutcome(call)
}

/** How much of a failure's body is kept for a second reader. */
private const val KEPT_BYTES = 1024 * 1024

private const val FIRST_ERROR = 400

/** Ktor's `Auth` sends these again with credentials, inside, and does not read them: they are left to Ktor. */
private val CHALLENGES = setOf(401, 407)

@OptIn(InternalAPI::class)
internal fun leaveFailuresUnsaved(client: HttpClient) {
    val beforeSaving = PipelinePhase("RepriseBeforeSaving")
    client.receivePipeline.insertPhaseBefore(HttpReceivePipeline.Before, beforeSaving)
    client.receivePipeline.intercept(beforeSaving) { response ->
        val status = response.status.value
        val attributes = response.call.attributes
        val isRejected = attributes.getOrNull(SEEN_HEAD)?.rejects(response) == true
        if ((status < FIRST_ERROR && !isRejected) || status in CHALLENGES) return@intercept
        if (SKIP_SAVE_BODY in attributes) return@intercept
        attributes.put(SKIP_SAVE_BODY, Unit)
        val body = KeptBody(response.rawContent, KEPT_BYTES)
        attributes.put(UNSAVED, body)
        proceedWith(KeptCall(client, response, body).response)
    }
}

/** The body of [call] that is there for every reader though it was not read into memory; `null` if it has no such body. */
internal fun keptBodyOf(call: HttpClientCall): KeptBody? = call.attributes.getOrNull(UNSAVED)

/** This call with its body in memory, if Ktor would have read it. */
internal suspend fun HttpClientCall.savedIfLeft(): HttpClientCall {
    if (UNSAVED !in attributes) return this
    attributes.remove(UNSAVED)
    attributes.remove(SKIP_SAVE_BODY)
    return save()
}
