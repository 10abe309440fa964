package dev.reprise.okhttp

import dev.reprise.build.logged
import dev.reprise.core.Hedge
import dev.reprise.core.RetryEvent
import dev.reprise.java.JavaRetrier
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import okhttp3.Interceptor
import okhttp3.OkHttpClient
import java.io.IOException
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicBoolean
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes

/** What of hedging is OkHttp's own. What all HTTP clients have in common stands in checks/retry-conformance. */
class HedgeTest :
    FunSpec({
        val hedged = quickPolicy { hedge = Hedge.after(1.milliseconds, maxExtraLoad = 1.0) }

        test(
            "an interceptor sends no copy: its requests are one call to OkHttp, which sends them one after the other",
        ) {
            val threads = Executors.newCachedThreadPool()
            try {
                val retries = OkHttpRetries.of(JavaRetrier.builder(hedged).hedgeExecutor(threads).build())
                val told = logged("dev.reprise") {
                    for (face in listOf(Face.INTERCEPTOR, Face.INTERCEPTOR_ENQUEUED)) {
                        val slow = Reply.Pausing(30, "HTTP/1.1 200 OK\r\n", "Content-Length: 0\r\n\r\n")
                        RawServer(slow).use { server ->
                            face.send(face.calls(retries).newCall(request(server.url))).use { it.code shouldBe 200 }
                            server.requests.size shouldBe 1
                        }
                    }
                }
                told.map { it.message }.filter { "hedge" in it } shouldBe
                    listOf("a policy has a hedge, and RetryInterceptor sends no copies: use RetryingCallFactory")
            } finally {
                threads.shutdown()
            }
        }

        test("a copy is a request of the report and no attempt, and the call's listeners hear of it") {
            val firstSeen = CountDownLatch(1)
            val heard = java.util.concurrent.CopyOnWriteArrayList<String?>()
            RawServer { _, request ->
                if ("amz-sdk-request" in request.headers()) {
                    firstSeen.await(20, TimeUnit.SECONDS)
                    status(200, "copy")
                } else {
                    firstSeen.countDown()
                    Reply.Stall()
                }
            }.use { server ->
                val retries = OkHttpRetries.of(JavaRetrier.of(hedged))
                val call = RetryingCallFactory(OkHttpClient(), retries).newCall(request(server.url))
                call.addEventListener(
                    object : okhttp3.EventListener() {
                        override fun requestHeadersEnd(call: okhttp3.Call, request: okhttp3.Request) {
                            heard += request.header("amz-sdk-request")
                        }
                    },
                )
                call.enqueued().use {
                    it.body.string() shouldBe "copy"
                    it.retryReport.attempts shouldBe 1
                    it.retryReport.requests shouldBe 2
                }
                heard.toSet() shouldBe setOf(null, "attempt=2")
            }
        }

        test("a blocking call without an executor sends no copy") {
            RawServer(Reply.Pausing(30, "HTTP/1.1 200 OK\r\n", "Content-Length: 0\r\n\r\n")).use { server ->
                val retries = OkHttpRetries.of(JavaRetrier.of(hedged))
                RetryingCallFactory(OkHttpClient(), retries).newCall(request(server.url)).execute().use {
                    it.code shouldBe 200
                }
                server.requests.size shouldBe 1
            }
        }

        test("a copy that was cut off, and notices when the next attempt runs, ends itself alone") {
            val threads = Executors.newCachedThreadPool()
            val caller = Thread.currentThread()
            val isAgain = AtomicBoolean()
            val isSentAgain = CountDownLatch(1)
            val isOver = CountDownLatch(1)
            val late = Interceptor {
                try {
                    it.proceed(it.request())
                } catch (e: IOException) {
                    // It was interrupted, too. The first execution is the caller's: no attempt follows before it ends.
                    if (Thread.currentThread() !== caller) {
                        while (isSentAgain.count > 0) Thread.onSpinWait()
                        isOver.countDown()
                    }
                    throw e
                }
            }
            val limited = quickPolicy {
                attemptTimeouts = listOf(200.milliseconds, 1.minutes)
                hedge = Hedge.after(50.milliseconds, maxExtraLoad = 1.0)
            }
            val retrier = JavaRetrier.builder(limited).hedgeExecutor(threads)
                .listener { if (it is RetryEvent.AttemptStarted && it.attempt == 2) isAgain.set(true) }.build()
            RawServer { _, _ ->
                if (!isAgain.get()) {
                    Reply.Stall()
                } else {
                    isSentAgain.countDown()
                    isOver.await(20, TimeUnit.SECONDS)
                    Reply.Pausing(100, "HTTP/1.1 200 OK\r\n", "Content-Length: 0\r\n\r\n")
                }
            }.use { server ->
                val client = OkHttpClient.Builder().addInterceptor(late).build()
                val call = RetryingCallFactory(client, OkHttpRetries.of(retrier)).newCall(request(server.url))
                call.execute().use { it.retryReport.attempts shouldBe 2 }
            }
            threads.shutdown()
        }
    })
