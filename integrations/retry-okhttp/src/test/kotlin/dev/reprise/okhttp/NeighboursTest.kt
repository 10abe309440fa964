package dev.reprise.okhttp

import dev.reprise.core.shell.http.Crc32Check
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import mockwebserver3.MockResponse
import mockwebserver3.MockWebServer
import okhttp3.Authenticator
import okhttp3.Cache
import okhttp3.CacheControl
import okhttp3.Interceptor
import okhttp3.OkHttpClient
import okhttp3.Request
import okhttp3.Response
import okhttp3.WebSocket
import okhttp3.WebSocketListener
import okhttp3.tls.HandshakeCertificates
import okhttp3.tls.HeldCertificate
import java.nio.file.Files
import java.util.concurrent.atomic.AtomicInteger

private fun server(vararg responses: MockResponse) = MockWebServer().apply {
    responses.forEach(::enqueue)
    start()
}

private val busy = MockResponse(code = 503)

class NeighboursTest :
    FunSpec({
        for (face in Face.entries) {
            test("$face: a redirect is followed within the attempt, and the next one begins anew") {
                val redirect = MockResponse.Builder().code(302).addHeader("Location", "/there").build()
                server(redirect, busy, redirect, MockResponse(body = "there")).use { server ->
                    val response = face.send(face.calls(quickly()).newCall(request(server.url("/").toString())))

                    response.use { it.body.string() to it.retryReport.attempts } shouldBe ("there" to 2)
                    List(4) { server.takeRequest().url.encodedPath } shouldBe listOf("/", "/there", "/", "/there")
                }
            }

            test("$face: an authenticator refreshes once, and the next attempt keeps what it got") {
                val unauthorized = MockResponse(code = 401)
                server(unauthorized, busy, busy, MockResponse(body = "there")).use { server ->
                    val refreshed = AtomicInteger()
                    val authenticator = Authenticator { _, response ->
                        response.request.newBuilder().header(
                            "Authorization",
                            "new ${refreshed.incrementAndGet()}",
                        ).build()
                    }
                    val client = OkHttpClient.Builder().authenticator(authenticator).build()
                    val stale = request(server.url("/").toString()).newBuilder().header("Authorization", "old").build()

                    face.send(face.calls(quickly(), client).newCall(stale)).close()

                    List(4) { server.takeRequest().headers["Authorization"] } shouldBe
                        listOf("old", "new 1", "new 1", "new 1")
                }
            }

            test(
                "$face: what an interceptor adds to each attempt is added once, also after a redirect or OkHttp's repeat",
            ) {
                val busyNow = status(503, "", "Retry-After: 0")
                for (first in listOf(status(302, "", "Location: /"), busyNow)) {
                    RawServer(first, status(503), status(200)).use { server ->
                        val adding = Interceptor {
                            it.proceed(it.request().newBuilder().addHeader("Authorization", "mine").build())
                        }
                        face.send(face.over(adding, quickly()).newCall(request(server.url))).use {
                            it.code shouldBe 200
                            it.request.headers("Authorization") shouldBe listOf("mine")
                        }
                        server.requests.size shouldBe 3
                    }
                }
            }

            test("$face: an answer to one challenge is not sent with the next attempt, which is challenged anew") {
                for (scheme in listOf("Negotiate", "digest", "NTLM")) {
                    val seen = mutableSetOf<String?>(null)
                    RawServer { _, request ->
                        val answer = request.headers()["authorization"]
                        when {
                            !seen.add(answer) -> status(401, "", "WWW-Authenticate: $scheme")
                            seen.size == 2 -> status(503)
                            else -> status(200)
                        }
                    }.use { server ->
                        val made = AtomicInteger()
                        val authenticator = Authenticator { _, response ->
                            if (response.request.header("Authorization") != null) return@Authenticator null
                            val answer = "$scheme ${made.incrementAndGet()}"
                            response.request.newBuilder().header("Authorization", answer).build()
                        }
                        val client = OkHttpClient.Builder().authenticator(authenticator).build()

                        face.send(face.calls(quickly(), client).newCall(request(server.url))).use {
                            it.code to it.retryReport.attempts shouldBe (200 to 2)
                        }
                    }
                }
            }

            test("$face: credentials that are renewed twice stay twice") {
                val unauthorized = MockResponse(code = 401)
                server(unauthorized, busy, unauthorized, busy, MockResponse(body = "there")).use { server ->
                    val refreshed = AtomicInteger()
                    val authenticator = Authenticator { _, response ->
                        val next = "new ${refreshed.incrementAndGet()}"
                        response.request.newBuilder().header("Authorization", next).build()
                    }
                    val client = OkHttpClient.Builder().authenticator(authenticator).build()

                    face.send(face.calls(quickly(), client).newCall(request(server.url("/").toString()))).close()

                    List(5) { server.takeRequest().headers["Authorization"] } shouldBe
                        listOf(null, "new 1", "new 1", "new 2", "new 2")
                }
            }

            test("$face: a cache answers without an attempt on the network, and what it lacks is no reason to wait") {
                val fresh = MockResponse.Builder().addHeader("Cache-Control", "max-age=60").body("kept").build()
                val directory = Files.createTempDirectory("okhttp-cache")
                server(busy, fresh).use { server ->
                    Cache(directory.toFile(), 1_000_000).use { cache ->
                        val calls = face.calls(quickly(), OkHttpClient.Builder().cache(cache).build())
                        val url = server.url("/").toString()
                        face.send(calls.newCall(request(url))).use { it.body.string() } shouldBe "kept"
                        face.send(calls.newCall(request(url))).use { it.body.string() } shouldBe "kept"
                        server.requestCount shouldBe 2

                        val elsewhere = Request.Builder().url(url + "x").cacheControl(CacheControl.FORCE_CACHE).build()
                        face.send(calls.newCall(elsewhere)).use { it.code to it.retryReport.attempts } shouldBe
                            (504 to 1)
                    }
                }
                directory.toFile().deleteRecursively()
            }

            test("$face: what a cache lacks is no reason to wait either if an interceptor asks the cache alone") {
                val offline = Interceptor {
                    it.proceed(it.request().newBuilder().cacheControl(CacheControl.FORCE_CACHE).build())
                }
                server().use { server ->
                    val call = face.over(offline, quickly()).newCall(request(server.url("/").toString()))

                    face.send(call).use { it.code to it.retryReport.attempts } shouldBe (504 to 1)
                    server.requestCount shouldBe 0
                }
            }

            test("$face: an event stream is in the caller's hands as soon as its head is there") {
                val stream = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: one\n\n"
                RawServer(status(503), Reply.Stall(stream)).use { server ->
                    face.send(face.calls(quickly()).newCall(request(server.url))).use {
                        it.body.source().readUtf8LineStrict() shouldBe "data: one"
                        it.retryReport.attempts shouldBe 2
                    }
                }
            }

            test("$face: gzip is unpacked, and the error code in a packed body found") {
                val packed = okio.Buffer().also { buffer ->
                    okio.GzipSink(buffer).use {
                        it.write(okio.Buffer().writeUtf8("{\"code\":\"ThrottlingException\"}"), 30)
                    }
                }
                val failure = MockResponse.Builder().code(
                    400,
                ).addHeader("Content-Encoding", "gzip").body(packed).build()
                server(failure, MockResponse(body = "there")).use { server ->
                    val retries = OkHttpRetries.builder().policy(quickPolicy()).errorBodyBytes(1024).build()

                    val response = face.send(face.calls(retries).newCall(request(server.url("/").toString())))

                    response.use { it.code to it.retryReport.attempts } shouldBe (200 to 2)
                }
            }

            test("$face: Retry-After 0 on a 503 makes OkHttp repeat inside the attempt, a POST too: once") {
                val now = MockResponse.Builder().code(503).addHeader("Retry-After", "0").build()
                server(now, now, MockResponse(body = "not reached")).use { server ->
                    val post = request(server.url("/").toString(), "POST")

                    face.send(face.calls(quickly()).newCall(post)).use { it.code to it.retryReport.attempts } shouldBe
                        (503 to 1)
                    server.requestCount shouldBe 2
                }
            }

            test("$face: HTTP/2 over TLS: a rejected stream ends, its connection is used again") {
                val certificate = HeldCertificate.Builder().addSubjectAlternativeName("localhost").build()
                val ours = HandshakeCertificates.Builder().heldCertificate(certificate).build()
                val theirs = HandshakeCertificates.Builder().addTrustedCertificate(certificate.certificate).build()
                val server = MockWebServer()
                server.useHttps(ours.sslSocketFactory())
                server.enqueue(MockResponse(code = 503, body = "x".repeat(100_000)))
                server.enqueue(MockResponse(body = "there"))
                server.start()
                server.use {
                    val client =
                        OkHttpClient.Builder().sslSocketFactory(theirs.sslSocketFactory(), theirs.trustManager).build()

                    val response = face.send(face.calls(quickly(), client).newCall(request(server.url("/").toString())))

                    response.use { "${it.protocol} ${it.body.string()} ${it.retryReport.attempts}" } shouldBe
                        "h2 there 2"
                    server.takeRequest().connectionIndex shouldBe server.takeRequest().connectionIndex
                }
            }
        }

        test("a web socket's upgrade is retried, the open socket is not touched") {
            val accepted = MockResponse.Builder().webSocketUpgrade(
                object : WebSocketListener() {
                    override fun onOpen(webSocket: WebSocket, response: Response) {
                        webSocket.send("hello")
                    }
                },
            ).build()
            val searching = OkHttpRetries.builder().policy(quickPolicy()).errorBodyBytes(512).build()
            for (retries in listOf(quickly(), searching, quickly { classifyFirst(Crc32Check()) })) {
                server(busy, accepted).use { server ->
                    val client = OkHttpClient.Builder().addInterceptor(RetryInterceptor(retries)).build()

                    client.firstMessage(request(server.url("/").toString())) shouldBe "hello"
                }
            }
        }
    })
