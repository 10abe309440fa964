package dev.reprise.okhttp

import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.Backoff
import dev.reprise.core.Hedge
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.faults.Certificates
import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import dev.reprise.java.JavaRetrier
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import okhttp3.Call
import okhttp3.EventListener
import okhttp3.OkHttpClient
import okhttp3.RequestBody
import okio.BufferedSink
import java.io.IOException
import java.net.InetAddress
import java.net.Socket
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.FutureTask
import java.util.concurrent.TimeUnit
import javax.net.ServerSocketFactory
import javax.net.SocketFactory
import kotlin.concurrent.thread
import kotlin.time.Duration.Companion.milliseconds

/** Less than the write timeout of OkHttp, which ends what no limit of ours ends. */
private const val SOON = 9_000L

/** More than the buffers between client and server hold. */
private class Upload : RequestBody() {
    override fun contentType() = null

    override fun contentLength() = 32L shl 20

    override fun writeTo(sink: BufferedSink) {
        val part = ByteArray(1 shl 20)
        repeat(32) { sink.write(part) }
    }
}

/** Its sockets take their time to close. */
private class SlowlyClosing(private val latch: CountDownLatch, private val hasBegun: CountDownLatch) : SocketFactory() {
    override fun createSocket(): Socket = object : Socket() {
        override fun close() {
            hasBegun.countDown()
            latch.await(1, TimeUnit.MINUTES)
            super.close()
        }
    }

    override fun createSocket(host: String, port: Int) = error("not used")

    override fun createSocket(host: String, port: Int, from: InetAddress, localPort: Int) = error("not used")

    override fun createSocket(host: InetAddress, port: Int) = error("not used")

    override fun createSocket(host: InetAddress, port: Int, from: InetAddress, localPort: Int) = error("not used")
}

/** A call of another retrier, which waits twice. */
private fun anotherCall(): CompletableFuture<Int> {
    val retrier = JavaRetrier.of(quickPolicy { backoff = Backoff.fixed(50.milliseconds) })
    var attempts = 0
    return retrier.callAsync {
        if (++attempts < 3) throw IOException("again") else CompletableFuture.completedFuture(attempts)
    }
}

/** Cutting an attempt off may block: the timers of the process, which share a thread, do not notice. */
class BlockedCutTest :
    FunSpec({
        val cutOff = quickly {
            attemptTimeout = 250.milliseconds
            maxAttempts = 2
        }
        val limited = quickly {
            attemptTimeout = 150.milliseconds
            maxAttempts = 2
        }

        fun cutTwice(face: Face, retries: OkHttpRetries, client: OkHttpClient, sockets: ServerSocketFactory) {
            FaultServer(sockets, Fault.UNREAD).use { server ->
                val upload = request("${server.uri()}", "PUT", Upload())
                val thrown = shouldThrow<IOException> { face.send(face.calls(retries, client).newCall(upload)) }
                thrown.cause.shouldBeInstanceOf<AttemptTimeoutException>()
                val trace = RetryTrace.of(thrown)!!
                trace.attempts to trace.reason shouldBe (2 to StopReason.ATTEMPTS)
            }
        }

        test("an upload that the server does not read is repeated after it was cut off, also while it is written") {
            onEachFace { cutTwice(it, cutOff, OkHttpClient(), ServerSocketFactory.getDefault()) }
        }

        test("an upload that may have a copy is repeated after it was cut off") {
            val threads = Executors.newCachedThreadPool()
            val policy = quickPolicy {
                attemptTimeout = 250.milliseconds
                maxAttempts = 2
                hedge = Hedge.after(50.milliseconds, maxExtraLoad = 1.0)
            }
            val hedged = OkHttpRetries.of(JavaRetrier.builder(policy).hedgeExecutor(threads).build())
            try {
                for (face in listOf(Face.FACTORY, Face.FACTORY_ENQUEUED)) {
                    cutTwice(face, hedged, OkHttpClient(), ServerSocketFactory.getDefault())
                }
            } finally {
                threads.shutdown()
            }
        }

        test("a TLS upload that the server does not read is cut off in time, and no other retrier waits") {
            val tls = Certificates.clientContext().socketFactory
            val client = OkHttpClient.Builder().sslSocketFactory(tls, Certificates.trustManager()).build()
            // On a thread of its own: from JDK 25 on it would take the one worker of a small common pool.
            val uploads = FutureTask<Unit> { onEachFace { cutTwice(it, cutOff, client, Certificates.sockets()) } }

            thread(block = uploads::run)
            val took = millis {
                repeat(4) { anotherCall().get(SOON, TimeUnit.MILLISECONDS) }
                uploads.get(20, TimeUnit.SECONDS)
            }

            took shouldBeLessThan SOON
        }

        fun blocked(face: Face, client: (CountDownLatch, CountDownLatch) -> OkHttpClient) {
            val latch = CountDownLatch(1)
            val hasBegun = CountDownLatch(1)
            RawServer(Reply.Stall()).use { server ->
                val call = face.calls(limited, client(latch, hasBegun)).newCall(request(server.url))
                val sent = thread { runCatching { face.send(call) } }
                hasBegun.await(30, TimeUnit.SECONDS) shouldBe true

                // What blocks does so until this is there.
                anotherCall().get(30, TimeUnit.SECONDS) shouldBe 3

                latch.countDown()
                sent.join()
            }
        }

        for (face in listOf(Face.INTERCEPTOR, Face.FACTORY)) {
            test("$face: a socket that blocks while it is closed keeps no other retrier waiting") {
                blocked(face) { latch, begun ->
                    OkHttpClient.Builder().socketFactory(SlowlyClosing(latch, begun)).build()
                }
            }
        }

        for (face in listOf(Face.FACTORY, Face.FACTORY_ENQUEUED)) {
            test("$face: a listener that blocks when its attempt is cut off keeps no other retrier waiting") {
                blocked(face) { latch, begun ->
                    val blocking = object : EventListener() {
                        override fun canceled(call: Call) {
                            begun.countDown()
                            latch.await(1, TimeUnit.MINUTES)
                        }
                    }
                    OkHttpClient.Builder().eventListener(blocking).build()
                }
            }
        }
    })
