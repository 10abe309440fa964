package dev.reprise.okhttp

import dev.reprise.core.NoPermit
import dev.reprise.core.NoPermitException
import dev.reprise.core.RetryTrace
import dev.reprise.core.SendRateSettings
import dev.reprise.core.StopReason
import dev.reprise.java.JavaRetrier
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import okhttp3.OkHttpClient
import java.io.IOException

/** Adaptive mode on every face. */
class RateTest :
    FunSpec({
        val settings = SendRateSettings { minFillRate(50.0) }

        for (face in Face.entries) {
            test("$face: a throttled answer turns the limiter on, and the retry waits for its permit") {
                RawServer(status(429), status(200, "there")).use { server ->
                    val retrier = JavaRetrier.of(quickPolicy { sendRate = settings })

                    val response = face.send(face.calls(OkHttpRetries.of(retrier)).newCall(request(server.url)))

                    response.use { it.body.string() to it.retryReport.attempts } shouldBe ("there" to 2)
                    retrier.retrier().sendRate!!.isOn shouldBe true
                }
            }

            test("$face: a refused permit ends the call with an IOException, and its connection is free") {
                RawServer(status(429, "x".repeat(100))).use { server ->
                    val retries = quickly {
                        sendRate = settings.with { minFillRate(0.001) }
                        onNoPermit = NoPermit.Fail
                    }
                    val client = OkHttpClient()
                    val calls = face.calls(retries, client)

                    val thrown = shouldThrow<IOException> { face.send(calls.newCall(request(server.url))) }

                    thrown.cause.shouldBeInstanceOf<NoPermitException>()
                    RetryTrace.of(thrown).shouldNotBeNull().reason shouldBe StopReason.RATE_LIMITED
                    server.requests.size shouldBe 1
                    client.connectionPool.connectionCount() shouldBe client.connectionPool.idleConnectionCount()
                }
            }

            test("$face: a call that is cancelled while it waits for a permit ends at once") {
                RawServer(status(429)).use { server ->
                    val call = face.calls(quickly { sendRate = settings.with { minFillRate(0.001) } })
                        .newCall(request(server.url))
                    val ended = call.future()
                    while (server.requests.isEmpty()) Thread.onSpinWait()

                    val took = millis {
                        call.cancel()
                        shouldThrow<IOException> { ended.getOrThrowCause() }.message shouldBe "Canceled"
                    }

                    (took < 3_000) shouldBe true
                }
            }
        }
    })

private fun <T> java.util.concurrent.CompletableFuture<T>.getOrThrowCause(): T = try {
    get(20, java.util.concurrent.TimeUnit.SECONDS)
} catch (e: java.util.concurrent.ExecutionException) {
    throw e.cause!!
}
