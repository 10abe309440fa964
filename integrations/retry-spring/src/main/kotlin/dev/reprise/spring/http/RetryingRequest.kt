package dev.reprise.spring.http

import dev.reprise.core.Repeat
import dev.reprise.core.shell.http.HttpCall
import dev.reprise.java.JavaRetrier
import org.springframework.http.HttpHeaders
import org.springframework.http.HttpMethod
import org.springframework.http.StreamingHttpOutputMessage
import org.springframework.http.StreamingHttpOutputMessage.Body
import org.springframework.http.client.AbstractClientHttpRequest
import org.springframework.http.client.ClientHttpRequestFactory
import org.springframework.http.client.ClientHttpResponse
import java.io.ByteArrayOutputStream
import java.io.OutputStream
import java.net.URI

/** A request of [below] for each attempt, with the same headers, attributes and body. */
internal class RetryingRequest(
    private val below: ClientHttpRequestFactory,
    private val retries: HttpRetries,
    private val uri: URI,
    private val method: HttpMethod,
) : AbstractClientHttpRequest(),
    StreamingHttpOutputMessage {
    private var written: ByteArrayOutputStream? = null
    private var body: Body? = null

    override fun getMethod(): HttpMethod = method

    override fun getURI(): URI = uri

    override fun setBody(body: Body) {
        assertNotExecuted()
        this.body = body
    }

    override fun getBodyInternal(headers: HttpHeaders): OutputStream =
        written ?: ByteArrayOutputStream().also { written = it }

    override fun executeInternal(headers: HttpHeaders): ClientHttpResponse {
        AttemptRequest.checkOutside(attributes)
        val watched = watchedBody()
        val call = retries.callOf(method, uri, headers, attributes, watched?.repeatable() == false, watched != null)
        return Exchange(call, headers, watched).execute()
    }

    /** The body, or what was written before the request was executed. */
    private fun watchedBody(): Watched? = body?.let { Watched(it, it.repeatable()) }
        ?: written?.takeIf { it.size() > 0 }?.let { Watched(it::writeTo, true) }

    private inner class Exchange(
        private val call: HttpCall<JavaRetrier>,
        private val headers: HttpHeaders,
        private val watched: Watched?,
    ) : RestExchange(retries, call, method, uri) {
        override fun send(marks: Map<String, String>): ClientHttpResponse {
            val request = below.createRequest(uri, method)
            request.headers.addAll(headers)
            request.headers.setAll(marks)
            request.attributes.putAll(attributes)
            request.attributes[AttemptRequest.INSIDE] = true
            if (watched != null) {
                if (request is StreamingHttpOutputMessage) request.setBody(watched) else watched.writeTo(request.body)
            }
            return request.execute()
        }

        /** A body that was opened may have been sent. */
        override fun mayRepeat(): Boolean =
            watched?.isOpened != true || (call.options.repeat == Repeat.SAFE && watched.repeatable())
    }

    /** Remembers whether [body] was opened. */
    private class Watched(private val body: Body, private val isRepeatable: Boolean) : Body {
        @Volatile
        var isOpened = false
            private set

        override fun writeTo(outputStream: OutputStream) {
            isOpened = true
            body.writeTo(outputStream)
        }

        override fun repeatable(): Boolean = isRepeatable
    }
}
