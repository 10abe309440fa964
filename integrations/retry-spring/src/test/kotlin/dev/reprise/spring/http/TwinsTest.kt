package dev.reprise.spring.http

import dev.reprise.core.RetryPolicy
import dev.reprise.faults.FaultServer
import dev.reprise.faults.Replies
import dev.reprise.spring.webclient.Connector
import dev.reprise.spring.webclient.RetryExchangeFilter
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.springframework.http.HttpMethod
import org.springframework.web.client.RestClient
import org.springframework.web.client.RestClientResponseException
import org.springframework.web.reactive.function.client.WebClient
import org.springframework.web.reactive.function.client.WebClientResponseException
import java.io.ByteArrayOutputStream
import java.net.URI
import java.util.zip.GZIPOutputStream

private fun head(status: String, vararg headers: String) =
    "HTTP/1.1 $status\r\n" + headers.joinToString("") { "$it\r\n" } + "\r\n"

/** ISO-8859-1 keeps its bytes. */
private val PACKED = ByteArrayOutputStream().also {
    GZIPOutputStream(it).use { gzip -> gzip.write("packed".toByteArray()) }
}
    .toByteArray().toString(Charsets.ISO_8859_1)

/** Responses that no policy here retries, odd ones among them. */
private val RESPONSES = mapOf(
    "a body" to head("200 OK", "Content-Length: 4") + "good",
    "an empty body" to head("200 OK", "Content-Length: 0"),
    "chunks" to Replies.chunkedHead(200) + Replies.chunk("go") + Replies.chunk("od") + Replies.chunk(""),
    "no chunk" to Replies.chunkedHead(200) + Replies.chunk(""),
    "a trailer" to Replies.chunkedHead(200) + Replies.chunk("good") + "0\r\nX-Sum: 1\r\n\r\n",
    "a body that its connection ends" to head("200 OK", "Connection: close") + "all of it",
    "HTTP/1.0" to "HTTP/1.0 200 OK\r\n\r\nold",
    "a packed body" to head("200 OK", "Content-Encoding: gzip", "Content-Length: ${PACKED.length}") + PACKED,
    "a type that is none" to head("200 OK", "Content-Type: none", "Content-Length: 4") + "good",
    "an event stream" to head("200 OK", "Content-Type: text/event-stream", "Content-Length: 9") + "data: 1\n\n",
    "no content" to head("204 No Content"),
    "part of a content" to head("206 Partial", "Content-Range: bytes 0-3/9", "Content-Length: 4") + "good",
    "not modified, with a length" to head("304 Not Modified", "Content-Length: 70", "ETag: \"1\""),
    "a challenge" to head("401 Who", "WWW-Authenticate: Basic realm=\"a\"", "Content-Length: 0"),
    "a missing thing" to head("404 Gone", "Content-Length: 4") + "gone",
    "a missing thing, packed" to head(
        "404 Gone",
        "Content-Encoding: gzip",
        "Content-Length: ${PACKED.length}",
    ) + PACKED,
    "a failure without a body" to head("400 Bad", "Content-Length: 0"),
    "a hint before" to head("100 Continue") + head("200 OK", "Content-Length: 4") + "good",
)

private fun textOf(status: Int, body: ByteArray?) = "$status ${body?.toString(Charsets.ISO_8859_1).orEmpty()}"

private fun ends(call: () -> String) = runCatching(call).getOrElse { e ->
    generateSequence(e) { it.cause }.joinToString(" < ", "failed < ") { it.javaClass.simpleName }
}

private fun RestClient.end(method: String, uri: URI): String = ends {
    val request = method(HttpMethod.valueOf(method)).uri(uri)
    if (method in setOf("POST", "PUT")) request.body("body")
    try {
        val response = request.retrieve().toEntity(ByteArray::class.java)
        textOf(response.statusCode.value(), response.body)
    } catch (e: RestClientResponseException) {
        e.javaClass.simpleName + " " + textOf(e.statusCode.value(), e.responseBodyAsByteArray)
    }
}

private fun WebClient.end(method: String, uri: URI): String = ends {
    val request = method(HttpMethod.valueOf(method)).uri(uri)
    if (method in setOf("POST", "PUT")) request.bodyValue("body")
    try {
        val response = request.retrieve().toEntity(ByteArray::class.java).block()!!
        textOf(response.statusCode.value(), response.body)
    } catch (e: WebClientResponseException) {
        e.javaClass.simpleName + " " + textOf(e.statusCode.value(), e.responseBodyAsByteArray)
    }
}

/** A request that needs no retry ends as it would without Reprise, whatever its method and its response. */
class TwinsTest :
    FunSpec({
        val policy = RetryPolicy.HTTP.with { noBackoff() }
        val retries = HttpRetries.builder().policy(policy).build()

        fun compare(bare: (String, URI) -> String, retried: (String, URI) -> String) {
            for ((what, text) in RESPONSES) {
                FaultServer { _, request ->
                    val end = text.lastIndexOf("\r\n\r\n") + 4
                    val isChunked = "chunked" in text
                    val sent = when {
                        request.method() != "HEAD" -> text
                        isChunked -> text.substring(0, text.indexOf("\r\n\r\n") + 4)
                        else -> text.substring(0, end)
                    }
                    Replies.raw(sent, "Connection: close" !in text && "HTTP/1.0" !in text)
                }.use { server ->
                    for (method in listOf("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS")) {
                        // Jetty's own handling of a challenge races with an upload.
                        if (what == "a challenge" && method in setOf("POST", "PUT")) continue
                        withClue("$what, $method") {
                            val before = server.served()
                            val expected = bare(method, server.uri())
                            val between = server.served()
                            retried(method, server.uri()) shouldBe expected
                            // What fails without retries may be retried.
                            if (" < " !in expected) server.served() - between shouldBe between - before
                        }
                    }
                }
            }
        }

        for (factory in Factory.entries) {
            for (face in Face.entries) {
                test("$factory, $face: with and without Reprise alike") {
                    val bare = RestClient.builder().requestFactory(factory.make()).build()
                    val retried = factory.client(retries, face)
                    compare(bare::end, retried::end)
                }
            }
        }

        for (connector in Connector.entries) {
            test("$connector: with and without Reprise alike") {
                val below = connector.make()
                val bare = WebClient.builder().clientConnector(below).build()
                val retried = WebClient.builder().clientConnector(below).filter(RetryExchangeFilter(retries)).build()
                compare(bare::end, retried::end)
            }
        }
    })
