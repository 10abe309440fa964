package dev.reprise.okhttp

import dev.reprise.core.Backoff
import dev.reprise.core.RetryEvent
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import okhttp3.OkHttpClient
import java.io.IOException
import java.time.Duration
import java.util.concurrent.CountDownLatch
import java.util.concurrent.ExecutionException
import java.util.concurrent.TimeUnit

/** OkHttp's client has no close: its users shut the dispatcher's executor down. */
class ClosedTest :
    FunSpec({
        for (face in listOf(Face.INTERCEPTOR_ENQUEUED, Face.FACTORY_ENQUEUED)) {
            test("$face: a client whose dispatcher is shut down in a wait ends the call, and sends no more") {
                RawServer(status(503)).use { server ->
                    val waits = CountDownLatch(1)
                    val retries = OkHttpRetries.builder()
                        .policy(quickPolicy { backoff = Backoff.fixed(Duration.ofMillis(300)) })
                        .listener { if (it is RetryEvent.RetryScheduled) waits.countDown() }
                        .build()
                    val client = OkHttpClient()
                    val end = face.calls(retries, client).newCall(request(server.url)).future()
                    waits.await(30, TimeUnit.SECONDS) shouldBe true

                    client.dispatcher.executorService.shutdownNow()

                    val failure = runCatching { end.get(20, TimeUnit.SECONDS).close() }.exceptionOrNull()
                    failure.shouldBeInstanceOf<ExecutionException>().cause.shouldBeInstanceOf<IOException>()
                    server.requests.size shouldBe 1
                    client.dispatcher.runningCallsCount() shouldBe 0
                }
            }
        }
    })
