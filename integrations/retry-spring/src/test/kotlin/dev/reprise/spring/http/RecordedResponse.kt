package dev.reprise.spring.http

import org.springframework.http.HttpHeaders
import org.springframework.http.HttpStatus
import org.springframework.http.HttpStatusCode
import org.springframework.http.client.ClientHttpResponse
import java.io.ByteArrayInputStream
import java.io.IOException
import java.io.InputStream

/** A response that remembers what was closed; closing its body throws, as that of a broken connection may. */
internal class RecordedResponse(

    private val status: HttpStatus,
    private val bytes: ByteArray,
    vararg headers: Pair<String, String>,
) : ClientHttpResponse {
    val closed = mutableListOf<String>()
    private val all = HttpHeaders().apply { headers.forEach { (name, value) -> add(name, value) } }
    private val stream = object : ByteArrayInputStream(bytes) {
        override fun close() {
            closed += "body"
            throw IOException("broken")
        }
    }

    override fun getStatusCode(): HttpStatusCode = status

    override fun getStatusText(): String = status.reasonPhrase

    override fun getHeaders(): HttpHeaders = all

    override fun getBody(): InputStream = stream

    override fun close() {
        closed += "response"
    }
}
