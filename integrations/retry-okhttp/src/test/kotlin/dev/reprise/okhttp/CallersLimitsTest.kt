package dev.reprise.okhttp

import dev.reprise.build.WaitingSpec
import dev.reprise.core.RetryPolicyBuilder
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import mockwebserver3.MockResponse
import mockwebserver3.MockWebServer
import mockwebserver3.SocketHandler
import okhttp3.Dispatcher
import okhttp3.Interceptor
import okhttp3.OkHttpClient
import okhttp3.Protocol
import okhttp3.RequestBody
import okio.BufferedSink
import okio.ByteString.Companion.encodeUtf8
import okio.Socket
import okio.buffer
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/** In real time: long enough that a head is there before it, on a busy machine too. */
private const val LIMIT = 2_000
private const val PAUSE = 2_500L

private val limits: Map<String, RetryPolicyBuilder.() -> Unit> = mapOf(
    "attempt timeout" to { attemptTimeout = LIMIT.milliseconds },
    "deadline" to { deadline = LIMIT.milliseconds },
)

/** What is written comes after the head of the response, too. */
private class Duplex(private val isOnce: Boolean) : RequestBody() {
    lateinit var sink: BufferedSink

    override fun contentType() = null

    override fun isOneShot() = isOnce

    override fun isDuplex() = true

    override fun writeTo(sink: BufferedSink) {
        this.sink = sink
    }
}

/** What the caller holds has the limits that the caller has set: ours have ended. */
class CallersLimitsTest :
    WaitingSpec({
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

        test("a read timeout that an interceptor sets for a request holds for its body too") {
            val pausing = Reply.Pausing(PAUSE, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", "whole")
            val patient = Interceptor { it.withReadTimeout(8, TimeUnit.SECONDS).proceed(it.request()) }
            onEachFace { face ->
                RawServer(pausing).use { server ->
                    val retries = quickly { attemptTimeout = LIMIT.milliseconds }
                    val calls = face.over(patient, retries, client(Duration.ofMillis(LIMIT.toLong())))

                    face.send(calls.newCall(request(server.url))).use { it.body.string() } shouldBe "halfwhole"
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
                    val calls = face.calls(quickly { attemptTimeout = 20.seconds }, client(Duration.ofSeconds(1)))

                    val took = millis {
                        face.send(calls.newCall(request(server.url))).use {
                            runCatching { it.body.string() }.isFailure shouldBe true
                        }
                    }

                    took shouldBeLessThan 15_000
                }
            }
        }

        test("a body that is read without the call's time, as an event stream is, has no end by it") {
            val head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
            onEachFace { face ->
                RawServer(status(503), Reply.Pausing(2_300, head, "data: one\n\n")).use { server ->
                    val client = OkHttpClient.Builder().callTimeout(Duration.ofSeconds(2)).build()
                    val call = face.calls(quickly(), client).newCall(request(server.url))

                    face.send(call).use {
                        // As OkHttp's event source does.
                        call.timeout().cancel()
                        it.body.source().readUtf8LineStrict() shouldBe "data: one"
                    }
                }
            }
        }

        test("a deadline of the call's timeout covers its body") {
            onEachFace { face ->
                RawServer(status(503), Reply.Stall("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")).use { server ->
                    val call = face.calls(quickly()).newCall(request(server.url))
                    call.timeout().deadline(2, TimeUnit.SECONDS)

                    val took = millis {
                        face.send(call).use { runCatching { it.body.string() }.isFailure shouldBe true }
                    }

                    // OkHttp's read timeout is ten seconds.
                    took shouldBeLessThan 9_000
                }
            }
        }

        for (face in Face.entries) {
            for (isOnce in listOf(false, true)) {
                test("$face: a duplex body in the caller's hands has the client's write timeout, one-shot: $isOnce") {
                    MockWebServer().use { server ->
                        server.protocols = listOf(Protocol.H2_PRIOR_KNOWLEDGE)
                        server.enqueue(
                            MockResponse.Builder().socketHandler(
                                object : SocketHandler {
                                    override fun handle(socket: Socket) {
                                        socket.sink.buffer().writeUtf8("there").flush()
                                    }
                                },
                            ).build(),
                        )
                        server.start()
                        val client = client(Duration.ofSeconds(8)).newBuilder().protocols(server.protocols).build()
                        val body = Duplex(isOnce)
                        val calls = face.calls(quickly { attemptTimeout = 5.seconds }, client)

                        face.send(calls.newCall(request(server.url("/").toString(), "POST", body))).use {
                            body.sink.timeout().timeoutNanos() shouldBe 10_000_000_000
                            body.sink.writeUtf8("more").close()
                        }
                    }
                }
            }
        }

        test("the time of an enqueued call of the factory goes on in the dispatcher's queue, and ends its body") {
            // The first call has no limit of its own, however long a busy machine takes for it.
            val slow = RawServer(Reply.Pausing(2_500, "", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
            val sentAt = CompletableFuture<Long>()
            val half = RawServer { _, _ ->
                sentAt.complete(System.nanoTime())
                Reply.Stall("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
            }
            slow.use {
                half.use {
                    val patient = OkHttpClient.Builder().dispatcher(Dispatcher().apply { maxRequests = 1 }).build()
                    val client = patient.newBuilder().callTimeout(Duration.ofSeconds(5)).build()
                    val first = patient.newCall(request(slow.url)).future()

                    RetryingCallFactory(client, quickly()).newCall(request(half.url)).enqueued().use {
                        runCatching { it.body.string() }.isFailure shouldBe true
                    }

                    // It would be five seconds if the queue did not count.
                    TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sentAt.get()) shouldBeLessThan 4_500
                    first.get().close()
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
