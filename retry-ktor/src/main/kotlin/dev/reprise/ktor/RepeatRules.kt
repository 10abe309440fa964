package dev.reprise.ktor

import dev.reprise.core.CallOptions
import dev.reprise.core.Repeat
import dev.reprise.core.shell.http.HttpRepeats
import dev.reprise.core.shell.http.RepeatRule
import dev.reprise.core.shell.values.repeated
import io.ktor.client.content.LocalFileContent
import io.ktor.client.content.ObservableContent
import io.ktor.client.request.HttpRequestBuilder
import io.ktor.client.request.forms.MultiPartFormDataContent
import io.ktor.http.HeaderValue
import io.ktor.http.HttpHeaders
import io.ktor.http.HttpMethod
import io.ktor.http.content.OutgoingContent
import io.ktor.http.content.URIFileContent
import io.ktor.http.parseHeaderValue
import io.ktor.utils.io.InternalAPI

/** Decides by [rule] whether a request may be repeated, and knows which of Ktor's bodies can be sent again. */
internal class RepeatRules(private val rule: RepeatRule, private val knownReplayable: (OutgoingContent) -> Boolean) {
    fun optionsOf(request: HttpRequestBuilder, kind: BodyKind, overrides: RequestOverrides?): CallOptions {
        // A cache that has nothing says 504, and no server is asked: there is nothing to wait for.
        if (isOnlyIfCached(request)) {
            return overrides?.options?.repeated(Repeat.NEVER) ?: HttpRepeats.optionsOf(Repeat.NEVER)
        }
        // A request that is marked is as idempotent as a PUT.
        val method = if (overrides?.isIdempotent == true) HttpMethod.Put else request.method
        val isOneShot = kind == BodyKind.ONE_SHOT
        return rule.optionsOf(overrides?.options, method.value, isOneShot) { request.headers.contains(it) }
    }

    /** The kind of [request]'s body. */
    fun kindOf(request: HttpRequestBuilder, overrides: RequestOverrides?): BodyKind {
        val body = request.body as OutgoingContent
        return when {
            overrides?.isReplayable == true || isReplayable(body) -> BodyKind.REPLAYABLE
            innermost(body) is MultiPartFormDataContent -> BodyKind.PARTS
            innermost(body) is OutgoingContent.WriteChannelContent && isMadeOfValue(request) -> BodyKind.REPLAYABLE
            else -> BodyKind.ONE_SHOT
        }
    }

    private fun isOnlyIfCached(request: HttpRequestBuilder) =
        request.headers.getAll(HttpHeaders.CacheControl).orEmpty().any { ONLY_IF_CACHED in parseHeaderValue(it) }

    @OptIn(InternalAPI::class)
    private fun isReplayable(body: OutgoingContent): Boolean = when (body) {
        is OutgoingContent.NoContent, is OutgoingContent.ByteArrayContent -> true
        is OutgoingContent.ContentWrapper -> isReplayable(body.delegate())
        is ObservableContent -> isReplayable(body.delegate)
        is MultiPartFormDataContent -> false
        is LocalFileContent, is URIFileContent, is ReplayableContent -> true
        is OutgoingContent.ProtocolUpgrade -> false
        is OutgoingContent.ReadChannelContent, is OutgoingContent.WriteChannelContent -> knownReplayable(body)
    }
}

/** How often a body can be sent. */
internal enum class BodyKind {
    /** Any number of times. */
    REPLAYABLE,

    /** Depends on the body's parts, which are tested before it is sent again. */
    PARTS,

    /** Once, as far as is known: again only as long as it was not opened. */
    ONE_SHOT,
}

/** [body] without what is wrapped around it. */
@OptIn(InternalAPI::class)
internal fun innermost(body: OutgoingContent): OutgoingContent = when (body) {
    is OutgoingContent.ContentWrapper -> innermost(body.delegate())
    is ObservableContent -> innermost(body.delegate)
    else -> body
}

private val ONLY_IF_CACHED = HeaderValue("only-if-cached")
