package dev.reprise.ktor

import dev.reprise.core.CallOptions
import dev.reprise.core.Repeat
import io.ktor.client.content.LocalFileContent
import io.ktor.client.content.ObservableContent
import io.ktor.client.request.HttpRequestBuilder
import io.ktor.client.request.forms.MultiPartFormDataContent
import io.ktor.http.HttpMethod
import io.ktor.http.content.OutgoingContent
import io.ktor.http.content.URIFileContent
import io.ktor.utils.io.InternalAPI

/**
 * Says what may be repeated: a request whose method, idempotency key or mark allows it, as long as its body can be sent
 * again; any other only if the failure proves that nothing was sent.
 */
internal class RepeatRules(
    private val idempotencyKeyHeaders: Set<String>,
    private val knownReplayable: (OutgoingContent) -> Boolean,
) {
    fun optionsOf(request: HttpRequestBuilder, body: OutgoingContent, wishes: CallWishes?): CallOptions {
        val asked = wishes?.options
        val canSendAgain = wishes?.isReplayable == true || isReplayable(body)
        if (asked != null) {
            return if (canSendAgain) asked else CallOptions(asked.operation, Repeat.NEVER, asked.longPolling)
        }
        return when {
            !canSendAgain -> ONE_SHOT
            request.method in REPEATABLE_METHODS || wishes?.isIdempotent == true || hasIdempotencyKey(request) -> SAFE
            else -> UNSAFE
        }
    }

    private fun hasIdempotencyKey(request: HttpRequestBuilder) =
        idempotencyKeyHeaders.any { request.headers.contains(it) }

    @OptIn(InternalAPI::class)
    private fun isReplayable(body: OutgoingContent): Boolean = when (body) {
        is OutgoingContent.NoContent, is OutgoingContent.ByteArrayContent -> true

        is OutgoingContent.ContentWrapper -> isReplayable(body.delegate())

        is ObservableContent -> isReplayable(body.delegate)

        // Its parts are suppliers; the ones that Ktor's form builder makes can all be asked again.
        is MultiPartFormDataContent -> true

        is LocalFileContent, is URIFileContent, is ReplayableContent -> true

        is OutgoingContent.ProtocolUpgrade -> false

        is OutgoingContent.ReadChannelContent, is OutgoingContent.WriteChannelContent -> knownReplayable(body)
    }

    private companion object {
        /** RFC 9110, section 9.2.2. */
        val REPEATABLE_METHODS =
            setOf("GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE").mapTo(HashSet()) { HttpMethod(it) }

        val SAFE = CallOptions(repeat = Repeat.SAFE)
        val UNSAFE = CallOptions(repeat = Repeat.IF_UNSENT)
        val ONE_SHOT = CallOptions(repeat = Repeat.NEVER)
    }
}
