package dev.reprise.aws.java

import dev.reprise.build.WaitingSpec
import io.kotest.assertions.withClue
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import software.amazon.awssdk.core.ResponseBytes
import software.amazon.awssdk.core.SdkClient
import software.amazon.awssdk.core.SdkPlugin
import software.amazon.awssdk.core.async.AsyncResponseTransformer
import software.amazon.awssdk.core.sync.ResponseTransformer
import software.amazon.awssdk.services.s3.S3AsyncClient
import software.amazon.awssdk.services.s3.S3Client
import software.amazon.awssdk.services.s3.model.GetObjectRequest
import java.io.ByteArrayOutputStream
import java.nio.file.Files
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import java.util.zip.GZIPOutputStream

private val get = GetObjectRequest.builder().bucket("bucket").key("key").build()

/** The ways in which the SDK itself reads an object. */
private val reads = mapOf<String, (SdkClient) -> Any?>(
    "bytes" to { client ->
        when (client) {
            is S3Client -> client.getObject(get, ResponseTransformer.toBytes())
            else -> (client as S3AsyncClient).getObject(get, AsyncResponseTransformer.toBytes())
        }
    },
    "a file" to { client ->
        val file = Files.createTempDirectory("object").resolve("it")
        when (client) {
            is S3Client -> client.getObject(get, ResponseTransformer.toFile(file))
            else -> (client as S3AsyncClient).getObject(get, AsyncResponseTransformer.toFile(file))
        }
    },
    "bytes that are used" to { client ->
        when (client) {
            is S3Client -> client.getObject(get, ResponseTransformer.toBytes()).asUtf8String()

            else -> (client as S3AsyncClient).getObject(get, AsyncResponseTransformer.toBytes())
                .thenApply(ResponseBytes<*>::asUtf8String)
        }
    },
)

class BrokenStreamTest :
    WaitingSpec({
        fun server(protocol: Protocol, status: Int, headers: String, length: Int, part: ByteArray, isReset: Boolean) =
            BreakingServer(protocol) { socket, _ ->
                val head = "HTTP/1.1 $status X\r\nContent-Type: ${protocol.contentType}\r\n$headers"
                socket.getOutputStream().run {
                    write("${head}Content-Length: $length\r\n\r\n".toByteArray() + part)
                    flush()
                }
                if (part.size == length) return@BreakingServer
                // As in BrokenBodyTest: nothing tells when the client has read the part.
                Thread.sleep(100)
                if (isReset) socket.setSoLinger(true, 0)
                socket.close()
            }

        test("the first byte of an object can be read before there is a second") {
            for (face in Face.entries.filterNot { it.isAsync }) {
                val isRead = CountDownLatch(1)
                BreakingServer(Protocol.REST_XML) { socket, _ ->
                    socket.getOutputStream().run {
                        write("HTTP/1.1 200 X\r\nContent-Length: 3\r\n\r\na".toByteArray())
                        flush()
                        isRead.await(60, TimeUnit.SECONDS)
                        write("bc".toByteArray())
                        flush()
                    }
                }.use { server ->
                    face.client(Service.S3, server.url, RepriseRetryStrategy.standard().plugin()).use { client ->
                        (client as S3Client).getObject(get).use { stream ->
                            withClue(face) { stream.read(ByteArray(9)) shouldBe 1 }
                            isRead.countDown()
                            withClue(face) { String(stream.readAllBytes()) shouldBe "bc" }
                        }
                    }
                }
            }
        }

        test("a caller who aborts an object waits for none of it, and one who reads it gets every byte") {
            for (face in Face.entries.filterNot { it.isAsync }) {
                val part = ByteArray(5_000) { it.toByte() }
                val isAborted = CountDownLatch(1)
                val hasGivenUp = CountDownLatch(1)
                BreakingServer(Protocol.REST_XML) { socket, _ ->
                    val head = "HTTP/1.1 200 X\r\nContent-Length: 500000000\r\n\r\n".toByteArray()
                    socket.getOutputStream().run {
                        write(head + part)
                        flush()
                    }
                    if (!isAborted.await(60, TimeUnit.SECONDS)) hasGivenUp.countDown()
                }.use { server ->
                    face.client(Service.S3, server.url, RepriseRetryStrategy.standard().plugin()).use { client ->
                        val stream = (client as S3Client).getObject(get)
                        withClue(face) { stream.readNBytes(part.size) shouldBe part }
                        stream.abort()
                        withClue(face) { hasGivenUp.count shouldBe 1 }
                        isAborted.countDown()
                    }
                }
            }
        }

        for (face in Face.entries) {
            test("an object that breaks off is fetched again: $face") {
                for ((way, read) in reads) {
                    for (isReset in listOf(true, false)) {
                        server(Protocol.REST_XML, 200, "", 2_000, ByteArray(1_000), isReset).use { server ->
                            withClue("$way $isReset") {
                                face.client(Service.S3, server.url, RepriseRetryStrategy.standard().plugin()).use {
                                    failureOf { read(it) }.shouldBeNull()
                                }
                                server.requests shouldBe 2
                            }
                        }
                    }
                }
            }

            test("an error whose body breaks off is judged by its status: $face") {
                for (service in listOf(Service.DYNAMODB, Service.S3, Service.STS)) {
                    for ((status, requests) in mapOf(503 to 2, 500 to 2, 429 to 2)) {
                        for (isReset in listOf(true, false)) {
                            val part = service.protocol.error("SomethingElse").encodeToByteArray().copyOf(20)
                            server(service.protocol, status, "", 60, part, isReset).use { server ->
                                withClue("$service $status $isReset") {
                                    face.client(service, server.url, RepriseRetryStrategy.standard().plugin()).use {
                                        failureOf { service.call(it) }.shouldBeNull()
                                    }
                                    server.requests shouldBe requests
                                }
                            }
                        }
                    }
                }
            }

            test("a compressed answer that breaks off is a broken connection: $face") {
                val text = """{"TableNames":["${"abc".repeat(300)}"]}""".encodeToByteArray()
                val packed = ByteArrayOutputStream().also { out ->
                    GZIPOutputStream(out).use { it.write(text) }
                }.toByteArray()
                fun failure(part: ByteArray, length: Int, isReset: Boolean): Pair<Throwable?, Int> =
                    server(Protocol.JSON, 200, "Content-Encoding: gzip\r\n", length, part, isReset).use { server ->
                        face.client(Service.DYNAMODB, server.url, RepriseRetryStrategy.standard().plugin()).use {
                            failureOf { Service.DYNAMODB.call(it) } to server.requests
                        }
                    }
                failure(packed, packed.size, false) shouldBe (null to 1)
                for (isReset in listOf(true, false)) {
                    withClue(isReset) { failure(packed.copyOf(30), packed.size, isReset) shouldBe (null to 2) }
                }
            }

            test("a compressed XML document that is whole by its length, but wrong, is final: $face") {
                for (service in listOf(Service.S3, Service.STS)) {
                    val good = service.protocol.good.encodeToByteArray()
                    val packed = ByteArrayOutputStream().also { out -> GZIPOutputStream(out).use { it.write(good) } }
                    for (wrong in listOf<(ByteArray) -> ByteArray>(
                        { it.copyOf(it.size / 2) },
                        { it.also { bytes -> for (i in 12 until 20) bytes[i] = (bytes[i] + 77).toByte() } },
                    )) {
                        val bytes = wrong(packed.toByteArray())
                        val zipped = "Content-Encoding: gzip\r\n"
                        server(service.protocol, 200, zipped, bytes.size, bytes, false).use { server ->
                            val failure = face.client(service, server.url, RepriseRetryStrategy.standard().plugin())
                                .use { failureOf { service.call(it) } }
                            withClue("$service ${bytes.size}") {
                                server.requests shouldBe 1
                                failure.shouldNotBeNull()
                            }
                        }
                    }
                }
            }

            test("a JSON document that is whole by its length, but wrong, is judged as the SDK does: $face") {
                for (wrong in listOf(
                    "{\"TableNames\":[",
                    "{\"TableNames\":7}",
                    "{\"TableNames\":[}",
                    "<a/>",
                    "\u00ff{}",
                )) {
                    fun requests(plugin: SdkPlugin?): Int {
                        val bytes = wrong.toByteArray(Charsets.ISO_8859_1)
                        return server(Protocol.JSON, 200, "", bytes.size, bytes, false).use { server ->
                            face.client(Service.DYNAMODB, server.url, plugin).use { client ->
                                failureOf { Service.DYNAMODB.call(client) }
                            }
                            server.requests
                        }
                    }
                    withClue(wrong) { requests(RepriseRetryStrategy.standard().plugin()) shouldBe requests(null) }
                }
            }
        }
    })
