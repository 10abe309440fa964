package dev.reprise.spring.http

import dev.reprise.core.RetryPolicy
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import org.springframework.http.HttpHeaders
import org.springframework.http.HttpMethod
import org.springframework.http.HttpStatus
import org.springframework.http.StreamingHttpOutputMessage
import org.springframework.http.client.AbstractClientHttpRequest
import org.springframework.http.client.ClientHttpRequest
import org.springframework.http.client.ClientHttpResponse
import java.io.ByteArrayOutputStream
import java.io.OutputStream
import java.net.URI

/** A request of a client that does not stream: it holds its body in memory, and its response has [status]. */
private class Holding(private val method: HttpMethod, private val uri: URI, private val status: HttpStatus) :
    AbstractClientHttpRequest() {
    val sent = ByteArrayOutputStream()

    override fun getMethod(): HttpMethod = method

    override fun getURI(): URI = uri

    override fun getBodyInternal(headers: HttpHeaders): OutputStream = sent

    override fun executeInternal(headers: HttpHeaders): ClientHttpResponse = RecordedResponse(status, ByteArray(0))
}

/** A request of the retrying factory over a client that does not stream. */
class RetryingRequestTest :
    FunSpec({
        val policy = RetryPolicy.HTTP.with {
            noBackoff()
            noQuota()
            maxAttempts = 3
        }
        val retries = HttpRetries.builder().policy(policy).build()

        fun requests(method: HttpMethod, use: (ClientHttpRequest) -> Unit): List<Holding> {
            val made = mutableListOf<Holding>()
            val below = { uri: URI, sent: HttpMethod ->
                Holding(sent, uri, HttpStatus.SERVICE_UNAVAILABLE).also { made += it }
            }
            val request = RetryingRequestFactory(below, retries).createRequest(URI("http://example.com/a"), method)
            use(request)
            request.execute().use { it.statusCode shouldBe HttpStatus.SERVICE_UNAVAILABLE }
            return made
        }

        test("a body that was written goes with each attempt, and headers and attributes do") {
            val made = requests(HttpMethod.PUT) {
                it.headers.add("X-A", "1")
                it.attributes["a"] = 2
                it.body.write(byteArrayOf(1, 2, 3))
                it.body.write(4)
            }
            made.map { it.sent.toByteArray().toList() } shouldBe List(3) { listOf<Byte>(1, 2, 3, 4) }
            made.map { it.headers["X-A"] } shouldBe List(3) { listOf("1") }
            made.map { it.attributes["a"] } shouldBe listOf(2, 2, 2)
        }

        test("a POST with a body is sent once, one without is too, a GET is repeated") {
            requests(HttpMethod.POST) { it.body.write(1) }.size shouldBe 1
            requests(HttpMethod.POST) { }.size shouldBe 1
            requests(HttpMethod.GET) { }.map { it.sent.size() } shouldContainExactly listOf(0, 0, 0)
        }

        test("a body that can be written once is sent once") {
            val once = object : StreamingHttpOutputMessage.Body {
                override fun writeTo(outputStream: OutputStream) = outputStream.write(7)
            }
            val made = requests(HttpMethod.PUT) { (it as StreamingHttpOutputMessage).setBody(once) }
            made.map { it.sent.toByteArray().toList() } shouldContainExactly listOf(listOf<Byte>(7))
        }

        test("a body that can be written again is") {
            val again = object : StreamingHttpOutputMessage.Body {
                override fun writeTo(outputStream: OutputStream) = outputStream.write(7)

                override fun repeatable() = true
            }
            requests(HttpMethod.PUT) { (it as StreamingHttpOutputMessage).setBody(again) }.size shouldBe 3
        }

        test("a request that was executed takes no other body") {
            lateinit var request: ClientHttpRequest
            requests(HttpMethod.GET) { request = it }
            shouldThrow<IllegalStateException> { (request as StreamingHttpOutputMessage).setBody { } }
        }
    })
