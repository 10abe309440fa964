package dev.reprise.aws.java

import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import org.reactivestreams.Subscriber
import org.reactivestreams.Subscription
import software.amazon.awssdk.core.async.AsyncRequestBody
import software.amazon.awssdk.core.async.BlockingInputStreamAsyncRequestBody
import software.amazon.awssdk.core.async.BlockingOutputStreamAsyncRequestBody
import software.amazon.awssdk.core.sync.RequestBody
import software.amazon.awssdk.core.sync.ResponseTransformer
import software.amazon.awssdk.services.s3.S3AsyncClient
import software.amazon.awssdk.services.s3.S3Client
import software.amazon.awssdk.services.s3.model.GetObjectResponse
import software.amazon.awssdk.services.s3.model.PutObjectRequest
import software.amazon.awssdk.services.s3.model.S3Exception
import java.io.BufferedInputStream
import java.io.ByteArrayInputStream
import java.io.FilterInputStream
import java.io.IOException
import java.io.InputStream
import java.nio.ByteBuffer
import java.nio.file.Files
import java.util.Optional
import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicBoolean

private val put = PutObjectRequest.builder().bucket("bucket").key("key").build()
private val bytes = ByteArray(50_000) { it.toByte() }

/** A stream that can be read once. */
private fun once(): InputStream = object : FilterInputStream(ByteArrayInputStream(bytes)) {
    override fun markSupported() = false

    override fun reset() = throw IOException("mark/reset not supported")
}

/** A body whose second subscriber is refused, as those of reactive libraries are, or gets nothing. */
private class Once(private val isRefused: Boolean) : AsyncRequestBody {
    private val isUsed = AtomicBoolean()

    override fun contentLength(): Optional<Long> = Optional.of(bytes.size.toLong())

    override fun subscribe(subscriber: Subscriber<in ByteBuffer>) {
        val isSecond = isUsed.getAndSet(true)
        subscriber.onSubscribe(object : Subscription {
            private var isOver = false

            override fun request(n: Long) {
                if (isOver) return
                isOver = true
                if (isSecond && isRefused) return subscriber.onError(IllegalStateException("one subscriber only"))
                if (!isSecond) subscriber.onNext(ByteBuffer.wrap(bytes))
                subscriber.onComplete()
            }

            override fun cancel() {
                isOver = true
            }
        })
    }
}

class OneShotTest :
    FunSpec({
        /** Puts through [face], with the plugin or the strategy alone; the first answer is a 503. Returns the failure, and the requests. */
        fun put(face: Face, isPlugin: Boolean, body: Any): Pair<Throwable?, Int> =
            ScriptedServer(Protocol.REST_XML, Reply(503), Reply.OK).use { server ->
                val strategy = RepriseRetryStrategy.standard()
                val plugin = strategy.plugin().takeIf { isPlugin }
                val failure = face.client(Service.S3, server, plugin, strategy.takeUnless { isPlugin }).use { client ->
                    failureOf {
                        when (client) {
                            is S3Client -> client.putObject(put, body as RequestBody)

                            else -> (client as S3AsyncClient).putObject(put, body as AsyncRequestBody).also {
                                when (body) {
                                    is BlockingInputStreamAsyncRequestBody ->
                                        body.writeInputStream(ByteArrayInputStream(bytes))

                                    is BlockingOutputStreamAsyncRequestBody ->
                                        body.outputStream().use { out -> out.write(bytes) }
                                }
                            }
                        }
                    }
                }
                failure to server.seen.size
            }

        val executor = Executors.newCachedThreadPool { Thread(it).apply { isDaemon = true } }
        val length = bytes.size.toLong()

        test("the caller of a body that can be sent once sees the service's failure, with its trace") {
            val calls = mapOf(
                "synchronous" to put(Face.APACHE, true, RequestBody.fromInputStream(once(), length)),
                "on the JDK's" to put(Face.URL_CONNECTION, true, RequestBody.fromInputStream(once(), length)),
                "a blocking stream" to put(Face.NETTY, true, AsyncRequestBody.forBlockingInputStream(length)),
                "a blocking stream, strategy alone" to
                    put(Face.NETTY, false, AsyncRequestBody.forBlockingInputStream(length)),
                "a blocking output" to put(Face.NETTY, true, AsyncRequestBody.forBlockingOutputStream(length)),
                "a blocking output, strategy alone" to
                    put(Face.NETTY, false, AsyncRequestBody.forBlockingOutputStream(length)),
                "a stream" to put(Face.NETTY, true, AsyncRequestBody.fromInputStream(once(), length, executor)),
                "a stream, strategy alone" to
                    put(Face.NETTY, false, AsyncRequestBody.fromInputStream(once(), length, executor)),
            )
            for ((name, call) in calls) {
                withClue(name) {
                    val (failure, requests) = call
                    failure.shouldBeInstanceOf<S3Exception>().statusCode() shouldBe 503
                    val trace = failure.suppressed.filterIsInstance<RetryTrace>().single()
                    trace.reason shouldBe StopReason.NOT_REPLAYABLE
                    requests shouldBe 1
                }
            }
        }

        test("so does the caller of a publisher that has one subscriber, or nothing for the second") {
            for (isPlugin in listOf(true, false)) {
                for (isRefused in listOf(true, false)) {
                    val (failure, _) = put(Face.NETTY, isPlugin, Once(isRefused))
                    withClue("$isPlugin $isRefused") {
                        failure.shouldBeInstanceOf<S3Exception>().statusCode() shouldBe 503
                        failure.suppressed.filterIsInstance<RetryTrace>().single().reason shouldBe
                            StopReason.NOT_REPLAYABLE
                    }
                }
            }
        }

        test("what the caller's own reader throws after a retry is not taken for a body that cannot be sent again") {
            ScriptedServer(Protocol.REST_XML, Reply(503), Reply.OK).use { server ->
                (
                    Face.APACHE.client(Service.S3, server, RepriseRetryStrategy.standard().plugin()) as S3Client
                    ).use { s3 ->
                    val reader = ResponseTransformer<GetObjectResponse, Any> { _, _ -> error("mine") }
                    val failure = failureOf { s3.getObject({ it.bucket("bucket").key("key") }, reader) }
                    generateSequence(failure) { it.cause }.any { it.message == "mine" } shouldBe true
                }
            }
        }

        test("a body that can be had again is sent again, whole") {
            val file = Files.createTempFile("body", null).also { Files.write(it, bytes) }
            try {
                for (face in listOf(Face.APACHE, Face.URL_CONNECTION)) {
                    for (body in listOf(
                        RequestBody.fromBytes(bytes),
                        RequestBody.fromFile(file),
                        RequestBody.fromInputStream(ByteArrayInputStream(bytes), length),
                        RequestBody.fromInputStream(BufferedInputStream(once()), length),
                        RequestBody.fromContentProvider({ Files.newInputStream(file) }, length, "text/plain"),
                    )) {
                        val (failure, requests) = put(face, true, body)
                        failure.shouldBeNull()
                        requests shouldBe 2
                    }
                }
                for (body in listOf(
                    AsyncRequestBody.fromBytes(bytes),
                    AsyncRequestBody.fromFile(file),
                    AsyncRequestBody.fromInputStream(ByteArrayInputStream(bytes), length, executor),
                )) {
                    val (failure, requests) = put(Face.NETTY, true, body)
                    failure.shouldBeNull()
                    requests shouldBe 2
                }
            } finally {
                Files.delete(file)
            }
        }
    })
