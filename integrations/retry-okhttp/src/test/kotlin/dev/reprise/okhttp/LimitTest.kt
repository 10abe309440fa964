package dev.reprise.okhttp

import dev.reprise.build.WaitingSpec
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.OnBadResult
import dev.reprise.core.RetryPolicyBuilder
import dev.reprise.core.RetryTrace
import dev.reprise.faults.Certificates
import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import dev.reprise.faults.Replies
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import mockwebserver3.Dispatcher
import mockwebserver3.MockResponse
import mockwebserver3.MockWebServer
import mockwebserver3.RecordedRequest
import mockwebserver3.SocketEffect
import okhttp3.Call
import okhttp3.OkHttpClient
import okhttp3.Protocol
import okhttp3.Response
import java.io.IOException
import java.net.SocketTimeoutException
import java.time.Duration
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/** Less than the read timeout of OkHttp, which ends what no limit of ours ends. */
private const val SOON = 9_000L

private val limits: Map<String, RetryPolicyBuilder.() -> Unit> = mapOf(
    "attempt timeout" to { attemptTimeout = 150.milliseconds },
    "deadline" to { deadline = 300.milliseconds },
)

private val longLimits: Map<String, RetryPolicyBuilder.() -> Unit> = mapOf(
    "attempt timeout" to {
        maxAttempts = 1
        attemptTimeout = 2.seconds
    },
    "deadline" to { deadline = 2.seconds },
)

/** Its head is sent at once, unlike that of a body which stalls. */
private val silentFailure = MockResponse.Builder().code(503).body("busy").bodyDelay(30, TimeUnit.SECONDS).build()

/** Retries that search bodies for an error code. */
private fun searching(limit: RetryPolicyBuilder.() -> Unit) =
    OkHttpRetries.builder().policy(quickPolicy(limit)).errorBodyBytes(512).build()

/** Expects that a call to [url] fails by its limit, and says so. */
private fun endsInTime(calls: Call.Factory, url: String, send: (Call) -> Response) {
    var failure: Throwable? = null
    val took = millis { failure = runCatching { send(calls.newCall(request(url))) }.exceptionOrNull() }

    failure.shouldBeInstanceOf<SocketTimeoutException>()
    RetryTrace.of(failure!!).shouldNotBeNull()
    took shouldBeLessThan SOON
}

class LimitTest :
    WaitingSpec({
        for (face in Face.entries) {
            test("$face: the last attempt's timeout is a SocketTimeoutException with the trace") {
                RawServer(Reply.Stall()).use { server ->
                    val calls = face.calls(quickly { attemptTimeout = 60.milliseconds })
                    val failure = runCatching { face.send(calls.newCall(request(server.url))) }.exceptionOrNull()

                    failure.shouldBeInstanceOf<SocketTimeoutException>()
                    failure.cause.shouldBeInstanceOf<AttemptTimeoutException>()
                    RetryTrace.of(failure).shouldNotBeNull().attempts shouldBe 3
                }
            }

            test("$face: a body in the caller's hands has the client's read timeout") {
                val late = RawServer { _, _ -> Reply.Stall("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf") }
                late.use { server ->
                    val calls = face.calls(quickly { attemptTimeout = 5.seconds })
                    face.send(calls.newCall(request(server.url))).use {
                        it.body.source().timeout().timeoutNanos() shouldBe 10_000_000_000
                    }
                }
            }

            test("$face: a bad result that the policy throws is an IOException, and holds no connection") {
                RawServer(status(503, "x".repeat(9))).use { server ->
                    val client = OkHttpClient()
                    val calls = face.calls(quickly { onBadResult = OnBadResult.THROW }, client)
                    val failure = runCatching { face.send(calls.newCall(request(server.url))) }.exceptionOrNull()

                    failure.shouldBeInstanceOf<IOException>()
                    RetryTrace.of(failure).shouldNotBeNull().attempts shouldBe 3
                    client.connectionPool.idleConnectionCount() shouldBe client.connectionPool.connectionCount()
                }
            }
        }

        val slowHeads = mapOf(
            "silent" to Reply.Stall(),
            "dripping" to Reply.Drip(10),
            "half" to Reply.Stall("HTTP/1.1 2"),
        )
        for ((name, slow) in slowHeads) {
            test("an attempt whose head is $name is cut off and repeated") {
                onEachFace { face ->
                    RawServer(slow, slow, status(200, "there")).use { server ->
                        var body = ""
                        val took = millis {
                            // On a busy machine, too, each request comes to the server, and the third is answered.
                            val calls = face.calls(quickly { attemptTimeout = 1.seconds })
                            face.send(calls.newCall(request(server.url))).use {
                                body = it.body.string()
                                it.retryReport.attempts shouldBe 3
                                it.retryReport.trace.shouldNotBeNull().failures.count { f ->
                                    "took longer" in f.what
                                } shouldBe 2
                            }
                        }

                        body shouldBe "there"
                        took shouldBeLessThan SOON
                    }
                }
            }
        }

        test("on HTTP/2 an attempt is cut off alone, its connection lives on") {
            onEachFace { face ->
                MockWebServer().use { server ->
                    server.protocols = listOf(Protocol.H2_PRIOR_KNOWLEDGE)
                    server.enqueue(MockResponse(body = "warm"))
                    server.enqueue(MockResponse.Builder().onResponseStart(SocketEffect.Stall).build())
                    server.enqueue(MockResponse(body = "there"))
                    server.start()
                    val client = OkHttpClient.Builder().protocols(listOf(Protocol.H2_PRIOR_KNOWLEDGE)).build()
                    val calls = face.calls(quickly { attemptTimeout = 1.seconds }, client)
                    val url = server.url("/").toString()
                    // Without a limit: the first call of all may take its time.
                    client.newCall(request(url)).execute().close()

                    face.send(calls.newCall(request(url))).use {
                        it.body.string() shouldBe "there"
                        it.retryReport.attempts shouldBe 2
                    }

                    client.connectionPool.connectionCount() shouldBe 1
                }
            }
        }

        for ((name, limit) in limits) {
            for (part in listOf("", "{\"code\":")) {
                test("the $name covers the search of a failure's body that stalls after '$part'") {
                    val stalling = Reply.Stall("HTTP/1.1 503 Busy\r\nContent-Length: 900\r\n\r\n$part")
                    onEachFace { face ->
                        RawServer(stalling).use { endsInTime(face.calls(searching(limit)), it.url, face::send) }
                    }
                }
            }

            test("the $name covers the search of a failure's body that stalls on HTTP/2") {
                onEachFace { face ->
                    MockWebServer().use { server ->
                        server.protocols = listOf(Protocol.H2_PRIOR_KNOWLEDGE)
                        server.dispatcher = object : Dispatcher() {
                            override fun dispatch(request: RecordedRequest) = silentFailure
                        }
                        server.start()
                        val client = OkHttpClient.Builder().protocols(server.protocols).build()
                        endsInTime(face.calls(searching(limit), client), server.url("/").toString(), face::send)
                    }
                }
            }
        }

        for ((name, limit) in limits) {
            test("the $name ends an enqueued call while the dispatcher's threads are all blocked") {
                val free = CountDownLatch(1)
                val pool = Executors.newSingleThreadExecutor()
                pool.execute(free::await)
                val client = OkHttpClient.Builder().dispatcher(okhttp3.Dispatcher(pool)).build()
                try {
                    endsInTime(
                        Face.FACTORY_ENQUEUED.calls(quickly(limit), client),
                        "http://127.0.0.1:1/",
                        Call::enqueued,
                    )
                } finally {
                    free.countDown()
                    pool.shutdown()
                }
            }
        }

        for ((name, limit) in longLimits) {
            test("the $name covers the search of a failure's body on HTTP/2 whose head is late") {
                onEachFace { face ->
                    MockWebServer().use { server ->
                        server.protocols = listOf(Protocol.H2_PRIOR_KNOWLEDGE)
                        server.dispatcher = object : Dispatcher() {
                            override fun dispatch(request: RecordedRequest): MockResponse {
                                // In real time, as the timeouts of OkHttp run.
                                Thread.sleep(1_600)
                                return silentFailure
                            }
                        }
                        server.start()
                        val client = OkHttpClient.Builder().protocols(server.protocols).build()
                        endsInTime(face.calls(searching(limit), client), server.url("/").toString(), face::send)
                    }
                }
            }
        }

        test("a retry does not wait for a response over TLS that its connection is to end and does not") {
            val tls = OkHttpClient.Builder().readTimeout(Duration.ofSeconds(30))
                .sslSocketFactory(Certificates.clientContext().socketFactory, Certificates.trustManager())
                .build()
            onEachFace { face ->
                val stalled = Replies.stallWithoutLength(503, "busy")
                FaultServer(Certificates.sockets(), stalled, Fault.NONE).use { server ->
                    val call = face.calls(quickly(), tls).newCall(request("${server.uri()}"))
                    millis { face.send(call).use { it.code shouldBe 200 } } shouldBeLessThan 15_000
                }
            }
        }

        test("without limits the search in a failure's body that does not begin ends with the client's read timeout") {
            val stalling = Reply.Stall("HTTP/1.1 503 Busy\r\nContent-Length: 900\r\n\r\n")
            val client = OkHttpClient.Builder().readTimeout(Duration.ofMillis(700)).build()
            onEachFace { face ->
                RawServer(stalling).use { server ->
                    val took = millis {
                        face.send(face.calls(searching { maxAttempts = 2 }, client).newCall(request(server.url))).use {
                            it.code shouldBe 503
                        }
                    }
                    took shouldBeLessThan SOON
                }
            }
        }

        test("the search for an error code in a body that trickles in ends after a second, and the body stays whole") {
            val head = "HTTP/1.1 503 Busy\r\nContent-Length: 10\r\n\r\n"
            fun trickle(seconds: Int) =
                RawServer(Reply.Pausing(seconds * 100L, head, *('a'..'j').map { "$it" }.toTypedArray()))
            onEachFace { face ->
                val policy = quickPolicy { maxAttempts = 1 }
                val calls = face.calls(OkHttpRetries.builder().policy(policy).errorBodyBytes(512).build())
                trickle(seconds = 30).use { server ->
                    millis { face.send(calls.newCall(request(server.url))).close() } shouldBeLessThan 15_000
                }
                trickle(seconds = 2).use { server ->
                    face.send(calls.newCall(request(server.url))).use { it.body.string() } shouldBe "abcdefghij"
                }
            }
        }
    })
