package dev.reprise.ktor

import io.ktor.client.HttpClient
import io.ktor.client.request.HttpRequestBuilder
import io.ktor.client.request.HttpRequestPipeline
import io.ktor.http.content.OutgoingContent
import io.ktor.util.AttributeKey
import io.ktor.utils.io.ByteReadChannel
import kotlinx.coroutines.flow.Flow
import java.io.InputStream
import java.io.Reader

/*
 * A body that a converter writes from an object, such as Jackson's or kotlinx.serialization's, looks like a stream. It
 * is made from the object each time it is sent, unless the object itself can be read only once.
 */

private val ORIGINAL_BODY = AttributeKey<Any>("RepriseOriginalBody")

/** Has each request remember what its caller set as its body. */
internal fun rememberBodies(client: HttpClient) = client.requestPipeline.intercept(HttpRequestPipeline.Before) { body ->
    val attributes = context.attributes
    if (body is OutgoingContent) attributes.remove(ORIGINAL_BODY) else attributes.put(ORIGINAL_BODY, body)
}

/** Whether the body of [request] was made from a plain value. */
internal fun isMadeOfValue(request: HttpRequestBuilder): Boolean {
    val original = request.attributes.getOrNull(ORIGINAL_BODY) ?: return false
    return !isReadOnce(original)
}

private fun isReadOnce(value: Any) = when (value) {
    is ByteReadChannel, is InputStream, is Reader, is AutoCloseable -> true
    is Iterator<*>, is Sequence<*>, is Flow<*>, is Function<*> -> true
    else -> false
}
