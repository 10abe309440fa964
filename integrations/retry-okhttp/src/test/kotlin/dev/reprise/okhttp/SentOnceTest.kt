package dev.reprise.okhttp

import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import okhttp3.Authenticator
import okhttp3.Interceptor
import okhttp3.OkHttpClient
import okhttp3.RequestBody
import okhttp3.RequestBody.Companion.toRequestBody
import okio.Buffer
import okio.BufferedSink
import java.io.ByteArrayInputStream
import java.io.IOException
import java.net.ConnectException
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger

/** A stream: what is written the second time is nothing. */
private class Stream(text: String) : RequestBody() {
    private val stream = ByteArrayInputStream(text.toByteArray())

    override fun contentType() = null

    override fun isOneShot() = true

    override fun writeTo(sink: BufferedSink) {
        sink.write(stream.readAllBytes())
    }
}

private class Missing : RequestBody() {
    val opened = AtomicInteger()

    override fun contentType() = null

    override fun contentLength() = 9L

    override fun writeTo(sink: BufferedSink) {
        opened.incrementAndGet()
        sink.writeUtf8("half")
        throw IOException("the file has gone")
    }
}

/** Fails the first attempt as a refused connection does, before or after it has read the body, as to sign it. */
private fun refusingOnce(readsBody: Boolean): Interceptor {
    val attempts = AtomicInteger()
    return Interceptor { chain ->
        var request = chain.request()
        if (readsBody) {
            val bytes = Buffer().also { request.body!!.writeTo(it) }.readByteArray()
            request = request.newBuilder().method(request.method, bytes.toRequestBody()).build()
        }
        if (attempts.incrementAndGet() == 1) throw ConnectException("refused")
        chain.proceed(request)
    }
}

/** What can be sent once is, and what can be written once is written once. */
class SentOnceTest :
    FunSpec({
        fun Face.over(interceptor: Interceptor) = over(interceptor, quickly())

        for (face in Face.entries) {
            for (method in listOf("PUT", "POST")) {
                test("$face: a one-shot body that an interceptor below has read is not sent again: $method") {
                    RawServer(status(200, "there")).use { server ->
                        val call = face.over(refusingOnce(readsBody = true))
                            .newCall(request(server.url, method, Stream("content")))

                        val thrown = shouldThrow<ConnectException> { face.send(call) }

                        RetryTrace.of(thrown).shouldNotBeNull().reason shouldBe StopReason.NOT_REPLAYABLE
                        server.requests.size shouldBe 0
                    }
                }

                test("$face: a one-shot body that nothing has read is whole for the next attempt: $method") {
                    RawServer(status(200, "there")).use { server ->
                        val call = face.over(refusingOnce(readsBody = false))
                            .newCall(request(server.url, method, Stream("content")))

                        face.send(call).use { it.retryReport.attempts } shouldBe 2
                        server.requests.map { it.body } shouldBe listOf("content")
                    }
                }
            }

            test("$face: what a body itself throws is not repeated") {
                RawServer(status(200, "there")).use { server ->
                    val body = Missing()
                    val thrown = shouldThrow<IOException> {
                        face.send(face.calls(quickly()).newCall(request(server.url, "PUT", body)))
                    }

                    thrown.message shouldBe "the file has gone"
                    body.opened.get() shouldBe 1
                }
            }

            test("$face: an interceptor below that throws what is no IOException is run once") {
                RawServer(status(200, "there")).use { server ->
                    val runs = AtomicInteger()
                    val uncaught = AtomicInteger()
                    val isUncaught = CountDownLatch(if (face.name.endsWith("ENQUEUED")) 1 else 0)
                    val before = Thread.getDefaultUncaughtExceptionHandler()
                    Thread.setDefaultUncaughtExceptionHandler { _, _ ->
                        uncaught.incrementAndGet()
                        isUncaught.countDown()
                    }
                    try {
                        val call = face.over { _ -> throw IllegalStateException("bug ${runs.incrementAndGet()}") }
                            .newCall(request(server.url))
                        runCatching { face.send(call) }.isFailure shouldBe true
                        // OkHttp's thread throws it on after it has told the caller.
                        isUncaught.await(30, TimeUnit.SECONDS) shouldBe true
                        Thread.sleep(20)
                    } finally {
                        Thread.setDefaultUncaughtExceptionHandler(before)
                    }

                    runs.get() shouldBe 1
                    uncaught.get() shouldBe if (face.name.endsWith("ENQUEUED")) 1 else 0
                }
            }

            test("$face: noRetry follows redirects and authenticates, also with a body") {
                val authenticator = Authenticator { _, response ->
                    response.request.newBuilder().header("Authorization", "token").build()
                }
                for (status in listOf(307, 308, 401)) {
                    for (method in listOf("GET", "PUT", "POST")) {
                        RawServer(status(status, "", "Location: /there"), status(200, "there")).use { server ->
                            val client = OkHttpClient.Builder().authenticator(authenticator).build()
                            val asked = request(server.url, method).newBuilder().noRetry().build()

                            face.send(face.calls(quickly(), client).newCall(asked)).use { it.code } shouldBe 200

                            val content = if (method == "GET") "" else "content"
                            server.requests.map { it.body } shouldBe listOf(content, content)
                        }
                    }
                }
            }

            test("$face: what is repeated after a redirect is not sent again under noRetry") {
                val now = status(503, "", "Retry-After: 0")
                RawServer(status(307, "", "Location: /there"), now, status(200, "there")).use { server ->
                    val asked = request(server.url, "POST").newBuilder().noRetry().build()

                    face.send(face.calls(quickly()).newCall(asked)).use { it.code } shouldBe 503

                    server.requests.size shouldBe 2
                }
            }

            test("$face: noRetry sends once, also what OkHttp would repeat by itself") {
                val now = status(503, "", "Retry-After: 0")
                val repeated = mapOf(
                    "GET" to listOf(Reply.Close, status(408)),
                    "POST" to listOf(Reply.Close, status(408), now),
                )
                for ((method, replies) in repeated) {
                    for (reply in replies) {
                        RawServer(status(200, "warm"), reply, status(200, "there")).use { server ->
                            val calls = face.calls(quickly())
                            face.send(calls.newCall(request(server.url))).use { it.body.string() }

                            runCatching {
                                face.send(
                                    calls.newCall(request(server.url, method).newBuilder().noRetry().build()),
                                ).close()
                            }

                            server.requests.size shouldBe 2
                        }
                    }
                }
            }
        }
    })
