package dev.reprise.spring.http

import dev.reprise.build.WaitingSpec
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryPolicyBuilder
import dev.reprise.core.RetryTrace
import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import dev.reprise.faults.Replies
import dev.reprise.faults.Reply
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import org.springframework.http.client.ClientHttpRequestFactory
import org.springframework.web.client.HttpServerErrorException
import org.springframework.web.client.RestClient
import java.net.SocketTimeoutException
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.measureTime

private val TEXT = ('a'..'z').joinToString("").repeat(3)

/** A 503 whose body comes byte by byte, too fast for a read timeout. */
private fun trickle(seconds: Int): Reply {
    val head = "HTTP/1.1 503 Busy\r\nContent-Length: 78\r\n\r\n"
    return Replies.pausing(seconds * 1_000L / 78, head, *TEXT.map { "$it" }.toTypedArray())
}

private fun client(below: ClientHttpRequestFactory, change: RetryPolicyBuilder.() -> Unit): RestClient {
    val policy = RetryPolicy.HTTP.with {
        noBackoff()
        noQuota()
        change()
    }
    val retries = HttpRetries.builder().policy(policy).build()
    return RestClient.builder().requestFactory(RetryingRequestFactory(below, retries)).build()
}

private fun RestClient.get(server: FaultServer): String? = get().uri(server.uri()).retrieve().body(String::class.java)

/** A failure's body that trickles in: it must not hold up the retry, and the caller gets it whole if there is none. */
class TrickleTest :
    WaitingSpec({
        beforeSpec {
            // Loading a client's classes takes longer than the limits below.
            FaultServer(Fault.NONE).use { server ->
                for (factory in Factory.entries) client(factory.make()) {}.get(server)
            }
        }

        for (factory in Factory.entries) {
            val name = factory.title
            val below by lazy { factory.make() }

            test("$name: a failure whose body trickles in is read for a second, then retried") {
                FaultServer(trickle(30), Fault.NONE).use { server ->
                    val took = measureTime { client(below) { maxAttempts = 2 }.get(server) shouldBe Fault.BODY }
                    took.inWholeSeconds shouldBeLessThan 15
                }
            }

            test("$name: if it is the call's end, the caller gets the whole body") {
                FaultServer(trickle(2)).use { server ->
                    shouldThrow<HttpServerErrorException> { client(below) { maxAttempts = 1 }.get(server) }
                        .responseBodyAsString shouldBe TEXT
                }
            }

            test("$name: the limit of the last attempt holds for what is left of it") {
                FaultServer(trickle(30)).use { server ->
                    val took = measureTime {
                        shouldThrow<HttpServerErrorException> {
                            client(below) {
                                maxAttempts = 1
                                attemptTimeout = 2_500.milliseconds
                            }.get(server)
                        }
                    }
                    took.inWholeSeconds shouldBeLessThan 15
                }
            }

            test("$name: whoever reads what is left of it is told that the limit is over, with the call's trace") {
                FaultServer(trickle(30)).use { server ->
                    val limited = client(below) {
                        maxAttempts = 1
                        attemptTimeout = 2_500.milliseconds
                    }
                    val thrown = shouldThrow<Exception> {
                        limited.get().uri(server.uri()).exchange { _, response -> response.body.readAllBytes() }
                    }
                    val causes = generateSequence<Throwable>(thrown) { it.cause }.toList()
                    causes.any { it is SocketTimeoutException } shouldBe true
                    causes.any { it is AttemptTimeoutException } shouldBe true
                    RetryTrace.of(thrown)!!.attempts shouldBe 1
                }
            }
        }
    })
