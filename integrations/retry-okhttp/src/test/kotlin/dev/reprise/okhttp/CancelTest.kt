package dev.reprise.okhttp

import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryEventListener
import dev.reprise.core.RetryPolicyBuilder
import dev.reprise.core.RetryTrace
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.java.JavaRetrier
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.matchers.types.shouldNotBeInstanceOf
import okhttp3.Call
import okhttp3.Interceptor
import okhttp3.OkHttpClient
import java.io.IOException
import java.io.InterruptedIOException
import java.time.Duration
import java.util.concurrent.CancellationException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import kotlin.concurrent.thread

class CancelTest :
    FunSpec({
        for (face in Face.entries) {
            test("$face: cancel ends a wait of a minute at once") {
                RawServer(status(503)).use { server ->
                    val waits = CountDownLatch(1)
                    val retries = watched(waits)
                    val call = face.calls(retries).newCall(request(server.url))
                    val canceller = thread {
                        waits.await(30, TimeUnit.SECONDS)
                        call.cancel()
                    }

                    var failure: Throwable? = null
                    val took = millis { failure = runCatching { face.send(call) }.exceptionOrNull() }

                    canceller.join()
                    failure.shouldBeInstanceOf<IOException>()
                    failure!!.message shouldBe "Canceled"
                    call.isCanceled() shouldBe true
                    Thread.interrupted() shouldBe false
                    took shouldBeLessThan 30_000
                    server.requests.size shouldBe 1
                }
            }

            test("$face: cancel ends a wait of a minute that keeps the last response, of a long poll without quota") {
                RawServer(status(503)).use { server ->
                    val empty = JavaRetrier.builder(slowPolicy()).quota(RetryQuota(500, 0)).build()
                    val poll = request(server.url).newBuilder().callOptions(CallOptions { longPolling = true }).build()
                    val call = face.calls(OkHttpRetries.of(empty)).newCall(poll)
                    val sent = call.sentOnce(server)

                    var failure: Throwable? = null
                    val took = millis { failure = runCatching { face.send(call).close() }.exceptionOrNull() }

                    sent.join()
                    failure.shouldBeInstanceOf<IOException>().message shouldBe "Canceled"
                    took shouldBeLessThan 30_000
                }
            }

            test("$face: cancel ends a wait of a minute after an error, where the policy retries that") {
                RawServer(status(200)).use { server ->
                    val waits = CountDownLatch(1)
                    val broken = Interceptor { throw NotImplementedError() }
                    val calls = face.over(broken, watched(waits) { retryOn(NotImplementedError::class.java) })
                    val call = calls.newCall(request(server.url))
                    val canceller = thread {
                        waits.await(30, TimeUnit.SECONDS)
                        call.cancel()
                    }

                    var failure: Throwable? = null
                    val took = quietly { millis { failure = runCatching { face.send(call) }.exceptionOrNull() } }

                    canceller.join()
                    failure.shouldBeInstanceOf<IOException>().message shouldBe "Canceled"
                    took shouldBeLessThan 30_000
                }
            }

            test("$face: a cancellation that an interceptor throws is no interrupt") {
                RawServer(status(200)).use { server ->
                    val cancelling = Interceptor { throw CancellationException("mine") }
                    val call = face.over(cancelling, quickly()).newCall(request(server.url))

                    val failure = quietly { runCatching { face.send(call) }.exceptionOrNull() }

                    failure.shouldBeInstanceOf<IOException>().shouldNotBeInstanceOf<InterruptedIOException>()
                    generateSequence<Throwable>(failure) { it.cause }.any { it.message == "mine" } shouldBe true
                    call.isCanceled() shouldBe false
                }
            }

            test("$face: cancel ends an attempt, and no other follows") {
                RawServer(Reply.Stall()).use { server ->
                    val call = face.calls(quickly()).newCall(request(server.url))
                    val giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(30)
                    val canceller = thread {
                        while (server.requests.isEmpty() && System.nanoTime() < giveUp) Thread.onSpinWait()
                        call.cancel()
                    }

                    val failure = runCatching { face.send(call) }.exceptionOrNull()

                    canceller.join()
                    failure!!.message shouldBe "Canceled"
                    server.requests.size shouldBe 1
                }
            }

            val cancellers = mapOf<String, (OkHttpClient, Call) -> Unit>(
                "the dispatcher" to { client, _ -> client.dispatcher.cancelAll() },
                "an interceptor" to { _, attempt -> attempt.cancel() },
            )
            val stalls = mapOf(
                "attempt" to Reply.Stall(),
                "attempt whose failure is read" to Reply.Stall("HTTP/1.1 503 Busy\r\nContent-Length: 9\r\n\r\nhalf"),
            )
            for ((name, cancel) in cancellers) {
                for ((kind, stall) in stalls) {
                    // OkHttp's dispatcher knows no executed call any more once its head is there.
                    if (face == Face.FACTORY && name == "the dispatcher" && kind != "attempt") continue
                    test("$face: an $kind that $name cancels is the last one, and the call is cancelled") {
                        RawServer(stall).use { server ->
                            val sent = CompletableFuture<Call>()
                            val client = OkHttpClient.Builder().addNetworkInterceptor {
                                sent.complete(it.call())
                                it.proceed(it.request())
                            }.build()
                            val retries = OkHttpRetries.builder().policy(quickPolicy()).errorBodyBytes(9).build()
                            val call = face.calls(retries, client).newCall(request(server.url))
                            val canceller = sent.thenAcceptAsync {
                                // In real time, as the server is. The head of a failure comes in the moment after the request.
                                while (server.requests.isEmpty()) Thread.sleep(1)
                                Thread.sleep(50)
                                cancel(client, it)
                            }

                            val failure = runCatching { face.send(call).close() }.exceptionOrNull()

                            canceller.join()
                            failure.shouldBeInstanceOf<IOException>().message shouldBe "Canceled"
                            call.isCanceled() shouldBe true
                            server.requests.size shouldBe 1
                        }
                    }
                }
            }

            test("$face: the call timeout bounds attempts and waits") {
                RawServer(status(503)).use { server ->
                    val client = OkHttpClient.Builder().callTimeout(Duration.ofMillis(150)).build()

                    var failure: Throwable? = null
                    val took = millis {
                        val call = face.calls(slowly(), client).newCall(request(server.url))
                        failure = runCatching { face.send(call) }.exceptionOrNull()
                    }

                    failure.shouldBeInstanceOf<InterruptedIOException>()
                    failure!!.message shouldBe "timeout"
                    took shouldBeLessThan 30_000
                }
            }
        }

        test("the call timeout goes on in the body") {
            onEachFace { face ->
                RawServer(status(503), Reply.Stall("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")).use { server ->
                    // Long enough that the response is there before it, on a busy machine too.
                    val client = OkHttpClient.Builder().callTimeout(Duration.ofSeconds(2)).build()
                    val response = face.send(face.calls(quickly(), client).newCall(request(server.url)))

                    runCatching { response.use { it.body.string() } }.exceptionOrNull()
                        .shouldBeInstanceOf<InterruptedIOException>()
                }
            }
        }

        for (face in listOf(Face.INTERCEPTOR, Face.FACTORY)) {
            test("$face: an interrupt ends a wait, and the thread stays interrupted") {
                RawServer(status(503)).use { server ->
                    val waits = CountDownLatch(1)
                    val caller = Thread.currentThread()
                    thread {
                        waits.await(30, TimeUnit.SECONDS)
                        caller.interrupt()
                    }

                    val failure = runCatching {
                        face.send(face.calls(watched(waits)).newCall(request(server.url)))
                    }.exceptionOrNull()

                    Thread.interrupted() shouldBe true
                    failure.shouldBeInstanceOf<InterruptedIOException>()
                    RetryTrace.of(failure!!).shouldBeNull()
                }
            }

            test("$face: cancel in a wait leaves the thread the interrupt that came before") {
                RawServer(status(503)).use { server ->
                    var call: Call? = null
                    val retries = OkHttpRetries.builder().policy(slowPolicy()).listener {
                        if (it !is RetryEvent.RetryScheduled) return@listener
                        Thread.currentThread().interrupt()
                        call!!.cancel()
                    }.build()
                    call = face.calls(retries).newCall(request(server.url))

                    runCatching { face.send(call).close() }.exceptionOrNull().shouldBeInstanceOf<IOException>()
                    Thread.interrupted() shouldBe true
                }
            }
        }

        test("an enqueued call of the factory holds no thread and no place while it waits; the interceptor's does") {
            RawServer { _, request ->
                if ("free" in
                    request.line
                ) {
                    status(200, "there")
                } else {
                    status(503)
                }
            }.use { server ->
                fun runningWith(face: Face): Pair<Int, Boolean> {
                    val waits = CountDownLatch(5)
                    val client = OkHttpClient()
                    val calls = face.calls(watched(waits), client)
                    val waiting = List(5) { calls.newCall(request(server.url)).also { it.future() } }
                    waits.await(30, TimeUnit.SECONDS)
                    val free = calls.newCall(request(server.url + "free")).future()
                    val holdsNone = face == Face.FACTORY_ENQUEUED
                    val patience = if (holdsNone) 9_000L else 500L
                    val isAnswered = runCatching { free.get(patience, TimeUnit.MILLISECONDS).close() }.isSuccess
                    // The last of them has told of its wait, and then its thread goes back.
                    var running = client.dispatcher.runningCallsCount()
                    val end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30)
                    while (holdsNone && running > 0 && System.nanoTime() < end) {
                        running = client.dispatcher.runningCallsCount()
                    }
                    waiting.forEach { it.cancel() }
                    return running to isAnswered
                }

                runningWith(Face.FACTORY_ENQUEUED) shouldBe (0 to true)
                runningWith(Face.INTERCEPTOR_ENQUEUED) shouldBe (5 to false)
            }
        }
    })

private fun slowPolicy(changes: RetryPolicyBuilder.() -> Unit = {}) = quickPolicy {
    backoff = Backoff.fixed(Duration.ofMinutes(1))
    changes()
}

/** Cancels this call soon after [server] has seen its request: in a wait, if one follows. */
private fun Call.sentOnce(server: RawServer): Thread = thread {
    val giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(30)
    while (server.requests.isEmpty() && System.nanoTime() < giveUp) Thread.onSpinWait()
    Thread.sleep(300)
    cancel()
}

/** What OkHttp rethrows on its own threads is not printed. */
private fun <T> quietly(block: () -> T): T {
    val before = Thread.getDefaultUncaughtExceptionHandler()
    Thread.setDefaultUncaughtExceptionHandler { _, _ -> }
    try {
        return block()
    } finally {
        Thread.setDefaultUncaughtExceptionHandler(before)
    }
}

/** Retries that wait a minute, and say so to [waits]. */
private fun watched(waits: CountDownLatch, changes: RetryPolicyBuilder.() -> Unit = {}): OkHttpRetries =
    OkHttpRetries.builder()
        .policy(slowPolicy(changes))
        .listener(
            object : RetryEventListener {
                override fun onRetryScheduled(event: RetryEvent.RetryScheduled) = waits.countDown()
            },
        )
        .build()
