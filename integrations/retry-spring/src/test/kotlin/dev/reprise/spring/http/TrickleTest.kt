package dev.reprise.spring.http

import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryPolicyBuilder
import dev.reprise.core.RetryTrace
import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import dev.reprise.faults.Replies
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import org.springframework.http.client.ClientHttpRequestFactory
import org.springframework.web.client.HttpServerErrorException
import org.springframework.web.client.RestClient
import java.net.SocketTimeoutException
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.measureTime

private val TEXT = ('a'..'z').joinToString("")

/** A 503 whose body takes 2.6 seconds. */
private val TRICKLE =
    Replies.pausing(100, "HTTP/1.1 503 Busy\r\nContent-Length: 26\r\n\r\n", *TEXT.map { "$it" }.toTypedArray())

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
    FunSpec({
        for (factory in Factory.entries) {
            val name = factory.title
            val below by lazy(factory.make)

            test("$name: a failure whose body trickles in is read for a second, then retried") {
                FaultServer(TRICKLE, Fault.NONE).use { server ->
                    val took = measureTime { client(below) { maxAttempts = 2 }.get(server) shouldBe Fault.BODY }
                    took.inWholeMilliseconds shouldBeLessThan 2_000
                }
            }

            test("$name: if it is the call's end, the caller gets the whole body") {
                FaultServer(TRICKLE).use { server ->
                    shouldThrow<HttpServerErrorException> { client(below) { maxAttempts = 1 }.get(server) }
                        .responseBodyAsString shouldBe TEXT
                }
            }

            test("$name: the limit of the last attempt holds for what is left of it") {
                FaultServer(TRICKLE).use { server ->
                    val took = measureTime {
                        shouldThrow<HttpServerErrorException> {
                            client(below) {
                                maxAttempts = 1
                                attemptTimeout = 1_300.milliseconds
                            }.get(server)
                        }
                    }
                    took.inWholeMilliseconds shouldBeLessThan 2_200
                }
            }

            test("$name: whoever reads what is left of it is told that the limit is over, with the call's trace") {
                FaultServer(TRICKLE).use { server ->
                    val limited = client(below) {
                        maxAttempts = 1
                        attemptTimeout = 1_300.milliseconds
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
