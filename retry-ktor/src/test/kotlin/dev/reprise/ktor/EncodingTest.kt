@file:OptIn(ExperimentalCoroutinesApi::class)

package dev.reprise.ktor

import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.core.shell.http.Crc32Check
import io.kotest.assertions.throwables.shouldThrowAny
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.ktor.client.engine.mock.respond
import io.ktor.client.plugins.compression.ContentEncoding
import io.ktor.client.request.get
import io.ktor.client.request.prepareGet
import io.ktor.client.request.request
import io.ktor.client.statement.bodyAsText
import io.ktor.http.HttpMethod
import io.ktor.http.HttpStatusCode
import io.ktor.http.headersOf
import io.ktor.util.reflect.TypeInfo
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.test.StandardTestDispatcher
import java.io.ByteArrayOutputStream
import java.util.zip.CRC32
import java.util.zip.GZIPOutputStream

/** A response whose checksum is that of its packed body, as DynamoDB's is. */
private fun gzipped(status: Int, text: String): Handler = {
    val bytes = ByteArrayOutputStream().also { out ->
        GZIPOutputStream(out).use { it.write(text.toByteArray()) }
    }.toByteArray()
    val crc = CRC32().apply { update(bytes) }.value
    val headers = headersOf("Content-Encoding" to listOf("gzip"), "x-amz-crc32" to listOf("$crc"))
    respond(bytes, HttpStatusCode.fromValue(status), headers)
}

class EncodingTest :
    FunSpec({
        val whole = ByteArrayOutputStream()
            .also { bytes -> GZIPOutputStream(bytes).use { it.write("there".repeat(100).toByteArray()) } }
            .toByteArray()
        val damaged = mapOf(
            "cut" to whole.copyOf(whole.size / 2),
            "corrupt" to ByteArray(50) { 7 },
            "of another checksum" to whole.copyOf().also { it[it.size - 6]++ },
            // Ktor 3.4 itself never ends on one that is cut.
        ) - setOf("cut").takeUnless { KtorVersion.isSince36(TypeInfo::class.java) }.orEmpty()
        val slowDown = """{"__type": "ThrottlingException", "message": "slow down"}"""

        virtual("a response without a body that names a length is not asked for again") {
            for (status in listOf(204, 304)) {
                val bare: Handler = {
                    respond(ByteArray(0), HttpStatusCode.fromValue(status), headersOf("Content-Length", "10"))
                }
                val client = MockClient(this, handler = bare)
                val end = runCatching { client.http.get("http://localhost/") }
                client.requests.size shouldBe 1
                // Whether a length without a body is a failure is Ktor's affair.
                end.exceptionOrNull()?.let { RetryTrace.of(it).shouldNotBeNull().reason shouldBe StopReason.REJECTED }
            }
        }

        for ((where, place) in placements) {
            val (before, after) = place { install(ContentEncoding) { gzip() } }

            virtual("a compressed response is rejected, and the last one is read: ContentEncoding $where the plugin") {
                val handler = scripted(gzipped(503, "overloaded"), gzipped(200, "there"))
                val client = MockClient(this, handler = handler, before = before, after = after)

                val response = client.http.get("http://localhost/")

                response.bodyAsText() shouldBe "there"
                response.retryReport.attempts shouldBe 2
            }

            virtual(
                "a body that ContentEncoding looks for in vain is not asked for again: ContentEncoding $where the plugin",
            ) {
                for (status in listOf(200, 204, 304)) {
                    val bare: Handler = {
                        respond(ByteArray(0), HttpStatusCode.fromValue(status), headersOf("Content-Encoding", "gzip"))
                    }
                    val client = MockClient(this, handler = bare, before = before, after = after)
                    val end = runCatching {
                        client.http.request("http://localhost/") {
                            method = if (status == 200) HttpMethod.Head else HttpMethod.Get
                        }
                    }
                    // Which of these Ktor unpacks is Ktor's affair.
                    val thrown = end.exceptionOrNull()?.let { RetryTrace.of(it).shouldNotBeNull() }
                    (thrown?.attempts ?: end.getOrThrow().retryReport.attempts) shouldBe 1
                    if (thrown != null) thrown.reason shouldBe StopReason.REJECTED
                }
            }

            virtual(
                "a checksum of the packed body is not compared with the unpacked one: ContentEncoding $where the plugin",
            ) {
                val policy = RetryPolicy.HTTP.with { classifyFirst(Crc32Check()) }
                for (status in listOf(200, 400)) {
                    val handler = gzipped(status, slowDown)
                    val client = MockClient(this, policy, handler = handler, before = before, after = after)

                    client.http.get("http://localhost/").bodyAsText() shouldBe slowDown
                    client.events.filterIsInstance<RetryEvent.AttemptFailed>().map { "${it.result}" } shouldBe
                        if (status == 200) emptyList() else List(3) { "HTTP 400 ThrottlingException" }
                }
            }

            virtual("a compressed failure can be read when attempts are used up: ContentEncoding $where the plugin") {
                val client = MockClient(this, handler = gzipped(503, "overloaded"), before = before, after = after)

                client.http.get("http://localhost/").bodyAsText() shouldBe "overloaded"
                client.http.prepareGet("http://localhost/").execute { it.bodyAsText() } shouldBe "overloaded"
            }

            for ((fault, body) in damaged) {
                for (isUnpackedFirst in listOf(true, false)) {
                    val whenNoticed = if (isUnpackedFirst) "before" else "while"
                    virtual(
                        "compressed data that is $fault is transient $whenNoticed it is read: ContentEncoding $where",
                    ) {
                        val broken: Handler = {
                            respond(body, HttpStatusCode.OK, headersOf("Content-Encoding", "gzip"))
                        }
                        val workers =
                            if (isUnpackedFirst) Dispatchers.Unconfined else StandardTestDispatcher(testScheduler)
                        suspend fun get(handler: Handler) = MockClient(
                            this,
                            workers = workers,
                            handler = handler,
                            before = before,
                            after = after,
                        ).http.get("http://localhost/")

                        val response = get(scripted(broken, gzipped(200, "there")))

                        response.bodyAsText() shouldBe "there"
                        response.retryReport.attempts shouldBe 2
                        val thrown = shouldThrowAny { get(broken).bodyAsText() }
                        RetryTrace.of(thrown).shouldNotBeNull().attempts shouldBe 3
                    }
                }
            }

            virtual("the error code in a compressed body decides: ContentEncoding $where the plugin") {
                val handler = scripted(gzipped(400, slowDown), gzipped(400, slowDown))
                val client = MockClient(this, handler = handler, before = before, after = after) {
                    errorBodyBytes = 100
                }

                val response = client.http.get("http://localhost/")

                response.retryReport.trace!!.failures.first().what shouldBe "status 400 ThrottlingException"
                response.bodyAsText() shouldBe slowDown
            }
        }
    })
