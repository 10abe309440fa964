package dev.reprise.spring.http

import dev.reprise.core.CallOptions
import dev.reprise.core.Repeat
import dev.reprise.core.shell.http.HttpRetrier
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
        val watched = bodyOf()?.let(::Watched)
        val retrier = retries.retrierOf(method, uri)
        val options =
            retries.optionsOf(
                retrier,
                method,
                headers,
                attributes,
                watched?.repeatable() == false,
                seesOpening = watched != null,
            )
        return Exchange(retrier, headers, watched, options).execute(options)
    }

    private fun bodyOf(): Body? = body ?: written?.takeIf { it.size() > 0 }?.let(::Written)

    private inner class Exchange(
        retrier: HttpRetrier<JavaRetrier>,
        private val headers: HttpHeaders,
        private val watched: Watched?,
        private val options: CallOptions,
    ) : RestExchange(retries, retrier, method, uri, headers) {
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
            watched?.isOpened != true || (options.repeat == Repeat.SAFE && watched.repeatable())
    }

    /** Remembers whether [body] was opened. */
    private class Watched(private val body: Body) : Body {
        @Volatile
        var isOpened = false
            private set

        override fun writeTo(outputStream: OutputStream) {
            isOpened = true
            body.writeTo(outputStream)
        }

        override fun repeatable(): Boolean = body.repeatable()
    }

    /** A body that was written before the request was executed. */
    private class Written(private val bytes: ByteArrayOutputStream) : Body {
        override fun writeTo(outputStream: OutputStream) = bytes.writeTo(outputStream)

        override fun repeatable(): Boolean = true
    }
}
