package dev.reprise.ktor

import dev.reprise.core.Backoff
import dev.reprise.core.RetryPolicy
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.ktor.client.HttpClient
import io.ktor.client.HttpClientConfig
import io.ktor.client.engine.cio.CIO
import io.ktor.client.plugins.sse.SSE
import io.ktor.client.plugins.sse.sse
import io.ktor.client.plugins.websocket.WebSockets
import io.ktor.client.plugins.websocket.webSocket
import io.ktor.websocket.Frame
import io.ktor.websocket.readText
import kotlinx.coroutines.flow.first
import java.security.MessageDigest
import java.util.Base64

/** RFC 6455, section 1.3. */
private const val WEB_SOCKET_ID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

private fun client(configure: HttpClientConfig<*>.() -> Unit) = HttpClient(CIO) {
    install(Retry) { policy = RetryPolicy { backoff = Backoff.IMMEDIATE } }
    configure()
}

/** Answers with a head and what follows it, then waits a little for the client to read. */
private fun streaming(head: String, body: ByteArray) = Act {
    it.getOutputStream().write("$head\r\n\r\n".toByteArray() + body)
    it.getOutputStream().flush()
    Thread.sleep(500)
    false
}

class UpgradeTest :
    FunSpec({
        test("server-sent events are asked for again until the head is accepted") {
            val head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked"
            val events = streaming(head, "d\r\ndata: hello\n\n\r\n".toByteArray())
            RawServer(answer(503), events).use { server ->
                client { install(SSE) }.use { client ->
                    var data: String? = null
                    client.sse(server.url) { data = incoming.first().data }

                    data shouldBe "hello"
                    server.requests shouldBe 2
                }
            }
        }

        test("a WebSocket's upgrade is asked for again until it is accepted") {
            lateinit var server: RawServer
            val upgrade = Act { connection ->
                val sha = MessageDigest.getInstance("SHA-1").digest((server.webSocketKey + WEB_SOCKET_ID).toByteArray())
                val head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
                    "Sec-WebSocket-Accept: ${Base64.getEncoder().encodeToString(sha)}"
                val text = byteArrayOf(0x81.toByte(), 5) + "hello".toByteArray()
                streaming(head, text).to(connection)
            }
            server = RawServer(answer(503), upgrade)
            server.use {
                client { install(WebSockets) }.use { client ->
                    var text: String? = null
                    client.webSocket(server.url.replace("http", "ws")) {
                        text = (incoming.receive() as Frame.Text).readText()
                    }

                    text shouldBe "hello"
                    server.requests shouldBe 2
                }
            }
        }
    })
