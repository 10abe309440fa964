@file:OptIn(ExperimentalReprise::class)

package dev.reprise.differential

import aws.sdk.kotlin.runtime.auth.credentials.StaticCredentialsProvider
import aws.sdk.kotlin.services.s3.S3Client
import aws.smithy.kotlin.runtime.auth.awscredentials.Credentials
import aws.smithy.kotlin.runtime.net.url.Url
import com.sun.net.httpserver.HttpServer
import dev.reprise.aws.kotlin.RepriseRetryStrategy
import dev.reprise.core.ExperimentalReprise
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.coroutines.Retrier
import dev.reprise.presets.Presets
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import java.net.InetAddress
import java.net.InetSocketAddress
import java.util.concurrent.ConcurrentLinkedQueue
import kotlin.time.Duration.Companion.minutes

private const val BUCKETS =
    """<ListAllMyBucketsResult><Buckets><Bucket><Name>a</Name></Bucket></Buckets></ListAllMyBucketsResult>"""

/** The newest client that can be had, S3's: errors in XML, smithy-kotlin 1.7. */
class NewestClientTest :
    FunSpec({
        test("the newest client retries by Reprise: code, status and header of an XML error are read") {
            val replies = ArrayDeque(
                listOf(
                    503 to "<Error><Code>SlowDown</Code><Message>scripted</Message></Error>",
                    500 to "<Error><Code>InternalError</Code><Message>scripted</Message></Error>",
                    200 to BUCKETS,
                ),
            )
            val requests = ConcurrentLinkedQueue<String>()
            val server = HttpServer.create(InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0)
            server.createContext("/") { exchange ->
                exchange.use {
                    requests += it.requestHeaders.getFirst("amz-sdk-request")
                    val (status, text) = replies.removeFirst()
                    val body = text.encodeToByteArray()
                    it.responseHeaders.add("Content-Type", "application/xml")
                    if (status == 503) it.responseHeaders.add("x-amz-retry-after", "1500")
                    it.sendResponseHeaders(status, body.size.toLong())
                    it.responseBody.write(body)
                }
            }
            server.start()
            val waits = mutableListOf<Long>()
            val events = ConcurrentLinkedQueue<RetryEvent>()
            val retrier = Retrier.builder(Presets.named("standard-2.1")).draws { 1.0 }.waiter {
                waits +=
                    it.inWholeNanoseconds
            }.build().with(RetryListener { events += it })
            try {
                val names = runBlocking {
                    withTimeout(1.minutes) {
                        S3Client {
                            region = "us-east-1"
                            endpointUrl = Url.parse("http://127.0.0.1:${server.address.port}")
                            credentialsProvider = StaticCredentialsProvider(Credentials("id", "secret"))
                            forcePathStyle = true
                            retryStrategy = RepriseRetryStrategy(retrier)
                        }.use { client -> client.listBuckets().buckets!!.map { it.name } }
                    }
                }

                names shouldBe listOf("a")
                requests.toList() shouldBe (1..3).map { "attempt=$it; max=3" }
                waits shouldBe listOf(1500 * MILLI, 100 * MILLI)
                retrier.quota!!.available shouldBe 500 - 5
                events.map { it.operation }.distinct() shouldBe listOf("S3.ListBuckets")
            } finally {
                server.stop(0)
            }
        }
    })
