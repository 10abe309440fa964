package dev.reprise.okhttp

import dev.reprise.core.RetryPolicyBuilder
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import okhttp3.OkHttpClient
import okhttp3.Protocol
import okhttp3.WebSocket
import okio.ByteString.Companion.encodeUtf8
import java.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

private const val LIMIT = 150
private const val PAUSE = 350L

private val limits: Map<String, RetryPolicyBuilder.() -> Unit> = mapOf(
    "attempt timeout" to { attemptTimeout = LIMIT.milliseconds },
    "deadline" to { deadline = LIMIT.milliseconds },
)

/** What the caller holds has the limits that the caller has set: ours have ended. */
class CallersLimitsTest :
    FunSpec({
        fun client(readTimeout: Duration) = OkHttpClient.Builder().readTimeout(readTimeout).build()

        for ((name, limit) in limits) {
            test("a body that pauses for longer than the $name is read to its end") {
                val pausing = Reply.Pausing(PAUSE, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", "whole")
                onEachFace { face ->
                    RawServer(pausing).use { server ->
                        val calls = face.calls(quickly(limit), client(Duration.ofSeconds(8)))

                        face.send(calls.newCall(request(server.url))).use { it.body.string() } shouldBe "halfwhole"
                    }
                }
            }
        }

        test("an event stream of a client without a read timeout outlives its silences") {
            val head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
            val stream = Reply.Pausing(PAUSE, head, "data: one\n\n")
            onEachFace { face ->
                RawServer(stream).use { server ->
                    val calls = face.calls(quickly { attemptTimeout = LIMIT.milliseconds }, client(Duration.ZERO))

                    face.send(calls.newCall(request(server.url))).use {
                        it.body.source().readUtf8LineStrict() shouldBe "data: one"
                    }
                }
            }
        }

        test("a silence that is longer than the client's own read timeout still ends the body") {
            onEachFace { face ->
                RawServer(Reply.Stall("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")).use { server ->
                    val calls = face.calls(quickly { attemptTimeout = 5.seconds }, client(Duration.ofMillis(200)))

                    val took = millis {
                        face.send(calls.newCall(request(server.url))).use {
                            runCatching { it.body.string() }.isFailure shouldBe true
                        }
                    }

                    took shouldBeLessThan 2_000
                }
            }
        }

        test("a frame of a web socket may pause for longer than an attempt may take") {
            val server = RawServer { _, request ->
                val key = request.headers.getValue("sec-websocket-key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
                val head = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
                    "Sec-WebSocket-Accept: ${key.encodeUtf8().sha1().base64()}\r\n\r\n"
                Reply.Pausing(PAUSE, head, "\u0081\u0005he", "llo")
            }
            server.use {
                val retries = quickly { attemptTimeout = LIMIT.milliseconds }
                val client = client(Duration.ofSeconds(8)).newBuilder().protocols(listOf(Protocol.HTTP_1_1))
                    .addInterceptor(RetryInterceptor(retries)).build()

                client.firstMessage(request(server.url)) shouldBe "hello"
            }
        }
    })
