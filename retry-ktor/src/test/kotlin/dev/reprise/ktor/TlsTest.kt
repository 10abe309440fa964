package dev.reprise.ktor

import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import io.kotest.assertions.throwables.shouldThrowAny
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeInRange
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.ktor.client.HttpClient
import io.ktor.client.request.get
import io.ktor.client.request.post
import io.ktor.client.statement.bodyAsText
import io.ktor.http.HttpProtocolVersion
import mockwebserver3.MockResponse
import mockwebserver3.MockWebServer
import mockwebserver3.SocketEffect
import okhttp3.tls.HandshakeCertificates
import okhttp3.tls.HeldCertificate
import java.util.logging.Level
import java.util.logging.Logger

private fun certificate(host: String) = HeldCertificate.Builder().addSubjectAlternativeName(host).build()

private val own = certificate("localhost")
private val foreign = certificate("other.example")
private val trusting = HandshakeCertificates.Builder()
    .addTrustedCertificate(own.certificate).addTrustedCertificate(foreign.certificate).build()

private fun reply(code: Int, body: String, script: MockResponse.Builder.() -> Unit = {}) =
    MockResponse.Builder().code(code).body(body).apply(script).build()

private val there = reply(200, "there")

/** The server's own; quiet about streams that end as they are told to. */
private val log: Logger = Logger.getLogger("okhttp3.OkHttpClient").apply { level = Level.OFF }

/** What only shows over TLS: handshakes that fail, and HTTP/2. */
class TlsTest :
    FunSpec({
        suspend fun Engine.calling(
            vararg answers: MockResponse,
            shown: HeldCertificate = own,
            trust: HandshakeCertificates? = trusting,
            by: RetryPolicy = quick,
            block: suspend HttpClient.(url: String, server: MockWebServer) -> Unit,
        ) = MockWebServer().use { server ->
            server.useHttps(HandshakeCertificates.Builder().heldCertificate(shown).build().sslSocketFactory())
            answers.forEach(server::enqueue)
            server.start()
            client(trust) { install(Retry) { policy = by } }.use { it.block("${server.url("/")}", server) }
        }

        for (engine in Engine.entries) {
            test("$engine: a 503 is retried over TLS") {
                engine.calling(reply(503, "overloaded"), there) { url, _ ->
                    val response = get(url)

                    response.bodyAsText() shouldBe "there"
                    response.retryReport.attempts shouldBe 2
                    (response.version == HttpProtocolVersion.HTTP_2_0) shouldBe engine.speaksHttp2
                }
            }

            for ((which, shown, trust) in listOf(
                Triple("that is not trusted", own, null),
                Triple("of another host", foreign, trusting),
            )) {
                test("$engine: a certificate $which is final") {
                    engine.calling(there, shown = shown, trust = trust) { url, server ->
                        for (thrown in listOf(shouldThrowAny { get(url) }, shouldThrowAny { post(url) })) {
                            val trace = RetryTrace.of(thrown).shouldNotBeNull()
                            trace.reason shouldBe StopReason.REJECTED
                            trace.attempts shouldBe 1
                        }
                        server.requestCount shouldBe 0
                    }
                }
            }
        }

        for (engine in Engine.entries.filter { it.speaksHttp2 }) {
            test("$engine over HTTP/2: a connection that is shut down with the answer is retried") {
                val answer = reply(503, "") { onResponseEnd(SocketEffect.ShutdownConnection) }
                engine.calling(answer, there) { url, server ->
                    val response = get(url)

                    response.bodyAsText() shouldBe "there"
                    // A connection that is going away may take one more attempt along.
                    val fewest = if (engine.repeatsUnanswered) 1 else 2
                    response.retryReport.attempts shouldBeInRange fewest..3
                    server.requestCount shouldBe 2
                }
            }
        }
    })
