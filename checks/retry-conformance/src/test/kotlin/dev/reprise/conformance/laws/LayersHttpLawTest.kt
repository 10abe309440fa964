package dev.reprise.conformance.laws

import dev.reprise.core.Backoff
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Upstream
import dev.reprise.core.Verdict
import dev.reprise.coroutines.Retrier
import dev.reprise.java.Serving
import dev.reprise.jdkhttp.RetryingHttpClient
import dev.reprise.ktor.Retry
import dev.reprise.test.ScriptedHttpClient
import dev.reprise.test.ScriptedResponse
import dev.reprise.test.VirtualTime
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll
import io.ktor.client.HttpClient
import io.ktor.client.engine.mock.MockEngine
import io.ktor.client.engine.mock.respond
import io.ktor.client.request.get
import io.ktor.client.statement.HttpResponse
import io.ktor.http.HttpStatusCode
import kotlinx.coroutines.runBlocking
import java.net.URI
import java.net.http.HttpRequest
import java.net.http.HttpResponse.BodyHandlers
import java.net.http.HttpResponse as JavaResponse

private val POLICY = RetryPolicy.HTTP.with {
    backoff = Backoff.IMMEDIATE
    quota = null
}

/** Law of layers on HTTP: a response that was given up on is known, and requests tell which attempt they are. */
class LayersHttpLawTest :
    FunSpec({
        fun outer(isBad: (Any?) -> Boolean) =
            Retrier(POLICY.with { onResult { if (isBad(it)) Verdict.TRANSIENT else null } })

        fun dead() = ScriptedHttpClient(VirtualTime()) { ScriptedResponse.status(503) }

        fun send(client: ScriptedHttpClient, asSdk: Boolean = false): JavaResponse<String> {
            val request = HttpRequest.newBuilder(URI("http://service.test/")).build()
            val retried = RetryingHttpClient.around(client).policy(POLICY).amzHeaders(asSdk).build()
            return retried.send(request, BodyHandlers.ofString())
        }

        fun ScriptedHttpClient.sent(header: String) = requests.map { it.headers().firstValue(header).orElse(null) }

        test("a retrier around a client does not retry the response that this gave up on: java.net.http") {
            val client = dead()
            val outer = outer { it is JavaResponse<*> && it.statusCode() == 503 }
            runBlocking { outer { send(client) } }.statusCode() shouldBe 503
            client.requests.size shouldBe 3
        }

        test("a retrier around a client does not retry the response that this gave up on: Ktor") {
            var count = 0
            val engine = MockEngine {
                count++
                respond("", HttpStatusCode.ServiceUnavailable)
            }
            val client = HttpClient(engine) { install(Retry) { policy = POLICY } }
            val outer = outer { it is HttpResponse && it.status.value == 503 }
            runBlocking { outer { client.get("http://service.test/") } }.status.value shouldBe 503
            count shouldBe 3
        }

        test("requests carry the number of their attempt, at least that of the retry that is served") {
            checkAll(20, Arb.int(1..9)) { number ->
                val client = dead()
                Serving.open(Upstream(number)).use { send(client) }
                client.sent("amz-sdk-request") shouldContainExactly
                    if (number == 1) listOf(null, "attempt=2", "attempt=3") else listOf("attempt=$number")
            }
        }

        test("a request that is made for a retry says that no other follows") {
            val client = dead()
            Serving.open(Upstream(2)).use { send(client, asSdk = true) }
            client.sent("amz-sdk-request") shouldContainExactly listOf("attempt=2; max=2")
        }
    })
