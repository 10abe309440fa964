package dev.reprise.spring.http

import dev.reprise.build.WaitingSpec
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.RetryPolicy
import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import dev.reprise.faults.Replies
import dev.reprise.faults.Reply
import io.kotest.assertions.nondeterministic.eventually
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import org.springframework.http.client.BufferingClientHttpRequestFactory
import org.springframework.http.client.ClientHttpRequestFactory
import org.springframework.http.client.JdkClientHttpRequestFactory
import org.springframework.web.client.RestClient
import java.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlin.time.measureTimedValue

/** A reader of bodies below the retries: the attempt waits inside it, and the limit has no body to close. */
private enum class Reader(val over: (ClientHttpRequestFactory, HttpRetries) -> RestClient) {
    BUFFERING_FACTORY({ below, retries -> Face.FACTORY.over(BufferingClientHttpRequestFactory(below), retries) }),
    BUFFERED_CONTENT({ below, retries ->
        CuttableRequests.of(below)
        Face.INTERCEPTOR.over(below, retries).mutate().bufferContent { _, _ -> true }.build()
    }),
    INTERCEPTOR({ below, retries ->
        CuttableRequests.of(below)
        Face.INTERCEPTOR.over(below, retries).mutate().requestInterceptor { request, body, execution ->
            execution.execute(request, body).also { it.body.readAllBytes() }
        }.build()
    }),
    DECOMPRESSION({ below, retries ->
        (below as? JdkClientHttpRequestFactory)?.enableCompression(true)
        Face.FACTORY.over(below, retries)
    }),
}

private val STALLS: Map<String, Reply> = mapOf(
    "a good body that stalls" to Replies.stallAfter(200, "good"),
    "a failure that stalls" to Replies.stallAfter(503, "busy"),
    "a packed body that stalls before its first byte" to Replies.stallAfter(200, "", "Content-Encoding: gzip"),
    "a good body that trickles in" to Replies.trickling(200, 30),
    "a failure that trickles in" to Replies.trickling(503, 30),
)

class ReadBelowTest :
    WaitingSpec({
        val retries = HttpRetries.builder().policy(
            RetryPolicy.HTTP.with {
                noBackoff()
                noQuota()
                attemptTimeout = 700.milliseconds
                maxAttempts = 2
            },
        ).build()

        // The reads of HttpURLConnection end with their read timeout alone.
        for (factory in Factory.entries - Factory.SIMPLE) {
            for (reader in Reader.entries) {
                test("$factory, $reader: an attempt's limit ends a read below the retries") {
                    val below = factory.make()
                    // As the page says: nothing else ends it.
                    (below as? JdkClientHttpRequestFactory)?.setReadTimeout(Duration.ofSeconds(1))
                    val client = reader.over(below, retries)
                    // Loading a client's classes takes longer than the limit.
                    FaultServer(Fault.NONE).use {
                        client.runCatching { get().uri(it.uri()).retrieve().toBodilessEntity() }
                    }
                    for ((what, reply) in STALLS) {
                        FaultServer(reply).use { server ->
                            withClue(what) {
                                val (thrown, took) = measureTimedValue {
                                    shouldThrow<Exception> {
                                        client.get().uri(server.uri()).retrieve().body(String::class.java)
                                    }
                                }
                                took.inWholeSeconds shouldBeLessThan 15
                                generateSequence<Throwable>(thrown) { it.cause }
                                    .any { it is AttemptTimeoutException } shouldBe true
                                server.served() shouldBe 2
                                if ("stalls" in what) eventually(30.seconds) { server.openConnections() shouldBe 0 }
                            }
                        }
                    }
                }
            }
        }
    })
