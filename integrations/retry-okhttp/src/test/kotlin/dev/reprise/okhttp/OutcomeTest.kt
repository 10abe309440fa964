package dev.reprise.okhttp

import dev.reprise.core.ErrorTable
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.http.BodyPeek
import dev.reprise.core.shell.http.Crc32Check
import dev.reprise.java.JavaRetrier
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeGreaterThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import okhttp3.Headers.Companion.toHeaders
import okhttp3.Interceptor
import okhttp3.OkHttpClient
import okhttp3.Protocol
import okhttp3.Response
import okhttp3.ResponseBody
import okhttp3.ResponseBody.Companion.toResponseBody
import okio.Buffer
import okio.BufferedSource
import okio.ForwardingSource
import okio.buffer

private const val THROTTLED = """{"__type": "ThrottlingException", "message": "Rate exceeded"}"""

/** A response as classifiers and listeners see it. */
class OutcomeTest :
    FunSpec({
        val failures = BodyPeek.of(ErrorTable.STANDARD, THROTTLED.length)
        val all = BodyPeek.of(Crc32Check(), 0)

        fun response(status: Int, body: String, vararg headers: Pair<String, String>): Response =
            Response.Builder().request(request("http://one/")).protocol(Protocol.HTTP_1_1).code(status).message("")
                .headers(mapOf(*headers).toHeaders()).body(body.toResponseBody()).receivedResponseAtMillis(77).build()

        fun outcome(peek: BodyPeek, status: Int, body: String, vararg headers: Pair<String, String>) =
            OkHttpOutcome(response(status, body, *headers), peek)

        test("a failure says its code and message, and a good response none whatever its body looks like") {
            for (status in listOf(300, 400, 503)) {
                outcome(failures, status, THROTTLED).run {
                    errorCode shouldBe "ThrottlingException"
                    errorMessage shouldBe "Rate exceeded"
                    toString() shouldBe "HTTP $status ThrottlingException"
                }
            }
            for (status in listOf(200, 299)) {
                outcome(all, status, THROTTLED).run {
                    errorCode shouldBe null
                    errorMessage shouldBe null
                    body?.decodeToString() shouldBe THROTTLED
                    toString() shouldBe "HTTP $status"
                }
            }
        }

        test("a code in a header goes before one in the body") {
            outcome(failures, 400, THROTTLED, "x-amzn-errortype" to "SlowDown:http://aws/").errorCode shouldBe
                "SlowDown"
        }

        test("a body is whole if it fits the bytes that are read, and the caller reads all of it in any case") {
            for ((length, isWhole) in listOf(0 to true, 9 to true, 10 to true, 11 to false, 100 to false)) {
                withClue(length) {
                    val response = response(503, "x".repeat(length))
                    OkHttpOutcome(response, BodyPeek.of(ErrorTable.STANDARD, 10)).body?.size shouldBe
                        length.takeIf { isWhole }
                    response.body.string().length shouldBe length
                }
            }
        }

        test("a good body that is longer than what is read is left to the caller") {
            val limit = all.bytesOf(200)
            for ((length, isRead) in listOf(limit to true, limit + 1 to false)) {
                outcome(all, 200, "x".repeat(length)).body?.size shouldBe length.takeIf { isRead }
            }
        }

        for (face in Face.entries) {
            test("$face: a body that throws what is no IOException ends the call with that, and holds no connection") {
                RawServer(status(503, "why")).use { server ->
                    val client = OkHttpClient()
                    val unpacking = Interceptor { chain ->
                        val response = chain.proceed(chain.request())
                        response.newBuilder().body(Broken(response.body)).build()
                    }
                    val retries = OkHttpRetries.builder().policy(quickPolicy()).errorBodyBytes(512).build()
                    val call = face.over(unpacking, retries, client).newCall(request(server.url))

                    val failure = runCatching { face.send(call) }.exceptionOrNull()

                    generateSequence(failure) { it.cause }.any { it.message == "a bug" } shouldBe true
                    server.requests.size shouldBe 1
                    client.connectionPool.idleConnectionCount() shouldBe client.connectionPool.connectionCount()
                }
            }
        }

        test("it knows when the response came") {
            outcome(failures, 503, "").receivedAtEpochMillis shouldBe 77
        }

        test("a response that an interceptor has made without a time comes now") {
            val now = System.currentTimeMillis()
            val made = response(503, "").newBuilder().receivedResponseAtMillis(0).build()
            OkHttpOutcome(made, failures).receivedAtEpochMillis shouldBeGreaterThanOrEqual now
        }

        test("a number of hosts is at least 1") {
            OkHttpRetries.builder().maxHosts(1)
            shouldThrow<IllegalArgumentException> { OkHttpRetries.builder().maxHosts(0) }.message shouldBe
                "maxHosts must be at least 1: 0"
        }

        test("retriers bring their own policy and listeners: others would never be asked or told") {
            val builders = listOf<OkHttpRetriesBuilder.() -> Unit>({ listener { } }, { policy(RetryPolicy.NONE) })
            for (setting in builders) {
                val builder = OkHttpRetries.builder().retriers { JavaRetrier.of(RetryPolicy.HTTP) }.apply(setting)
                shouldThrow<IllegalArgumentException> { builder.build() }.message shouldContain
                    "set either retriers, or policy and listeners"
            }
        }
    })

/** A body that an interceptor unpacks, badly. */
private class Broken(private val packed: ResponseBody) : ResponseBody() {
    override fun contentType() = null

    override fun contentLength() = -1L

    override fun source(): BufferedSource = object : ForwardingSource(packed.source()) {
        override fun read(sink: Buffer, byteCount: Long): Long = error("a bug")
    }.buffer()

    override fun close() = packed.close()
}
