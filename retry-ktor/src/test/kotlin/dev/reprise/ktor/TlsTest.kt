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
import io.ktor.util.reflect.TypeInfo
import mockwebserver3.MockResponse
import mockwebserver3.MockWebServer
import mockwebserver3.SocketEffect
import okhttp3.tls.HandshakeCertificates
import okhttp3.tls.HeldCertificate
import java.net.InetAddress
import java.net.ServerSocket
import java.net.Socket
import java.util.logging.Level
import java.util.logging.Logger
import javax.net.ServerSocketFactory

private fun certificate(host: String) = HeldCertificate.Builder().addSubjectAlternativeName(host).build()

private val own = certificate("localhost")
private val foreign = certificate("other.example")
private val trusting = HandshakeCertificates.Builder()
    .addTrustedCertificate(own.certificate).addTrustedCertificate(foreign.certificate).build()

private const val REFUSED_STREAM = 7

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
            sockets: ServerSocketFactory = ServerSocketFactory.getDefault(),
            block: suspend HttpClient.(url: String, server: MockWebServer) -> Unit,
        ) = MockWebServer().use { server ->
            server.serverSocketFactory = sockets
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

            test("$engine: a connection that is closed in the handshake is tried again") {
                engine.calling(there, sockets = HangingUpOnce()) { url, _ ->
                    val response = get(url)

                    response.bodyAsText() shouldBe "there"
                    // Before Ktor 3.6 CIO itself connects once more now and then.
                    val isOldCio = engine == Engine.CIO && !KtorVersion.isSince36(TypeInfo::class.java)
                    val fewest = if (engine.repeatsUnanswered || isOldCio) 1 else 2
                    val most = if (engine.repeatsUnanswered) 1 else 2
                    response.retryReport.attempts shouldBeInRange fewest..most
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
            val faults = mapOf(
                "a stream that is refused" to
                    reply(200, "") { onRequestStart(SocketEffect.CloseStream(REFUSED_STREAM)) },
                "a stream that is reset instead of an answer" to
                    reply(200, "") { onResponseStart(SocketEffect.CloseStream()) },
                "a stream that is reset in the body" to
                    reply(200, "x".repeat(1_000)) { onResponseBody(SocketEffect.CloseStream()) },
                "a connection that is shut down with the answer" to
                    reply(503, "") { onResponseEnd(SocketEffect.ShutdownConnection) },
                "a connection that is reset in the body" to
                    reply(200, "x".repeat(1_000)) { onResponseBody(SocketEffect.CloseSocket()) },
            )
            for ((fault, answer) in faults) {
                test("$engine over HTTP/2: $fault is retried") {
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
        }
    })

/** Closes the first connection as soon as it is there. */
private class HangingUpOnce : ServerSocketFactory() {
    override fun createServerSocket(): ServerSocket = object : ServerSocket() {
        private var isFirst = true

        override fun accept(): Socket {
            if (isFirst) super.accept().close()
            isFirst = false
            return super.accept()
        }
    }

    override fun createServerSocket(port: Int) = throw UnsupportedOperationException()

    override fun createServerSocket(port: Int, backlog: Int) = throw UnsupportedOperationException()

    override fun createServerSocket(port: Int, backlog: Int, address: InetAddress) =
        throw UnsupportedOperationException()
}
