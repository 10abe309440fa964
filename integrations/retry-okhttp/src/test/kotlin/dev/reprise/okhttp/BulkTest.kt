package dev.reprise.okhttp

import io.kotest.assertions.nondeterministic.eventually
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeLessThan
import io.kotest.matchers.shouldBe
import okhttp3.ConnectionPool
import okhttp3.OkHttpClient
import java.io.IOException
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger
import kotlin.random.Random
import kotlin.time.Duration.Companion.seconds

class BulkTest :
    FunSpec({
        val count = if (System.getProperty("nightly") == null) 400 else 100_000

        for (face in Face.entries) {
            test("$face: many faulty calls lose no connection and no thread, and send no POST twice") {
                val random = Random(1)
                val seen = ConcurrentHashMap<String, AtomicInteger>()
                RawServer { _, request ->
                    if (request.method ==
                        "POST"
                    ) {
                        seen.computeIfAbsent(request.line) { AtomicInteger() }.incrementAndGet()
                    }
                    when (synchronized(random) { random.nextInt(10) }) {
                        0, 1 -> status(503, "x".repeat(200))
                        2 -> Reply.Close
                        3 -> status(429)
                        else -> status(200, "there")
                    }
                }.use { server ->
                    // OkHttp's own repeat of a POST on a kept connection is the client's affair: off, to see ours
                    // alone.
                    val client = OkHttpClient.Builder()
                        .connectionPool(ConnectionPool(8, 1, TimeUnit.MINUTES))
                        .retryOnConnectionFailure(false)
                        .build()
                    val calls = face.calls(quickly { quota = null }, client)
                    val before = Thread.activeCount()
                    val pool = Executors.newFixedThreadPool(8)
                    val failures = AtomicInteger()
                    repeat(count) { n ->
                        pool.execute {
                            val method = if (n % 4 == 0) "POST" else "GET"
                            try {
                                face.send(calls.newCall(request(server.url + n, method))).use { it.body.string() }
                            } catch (_: IOException) {
                                failures.incrementAndGet()
                            }
                        }
                    }
                    pool.shutdown()
                    pool.awaitTermination(30, TimeUnit.MINUTES) shouldBe true

                    seen.values.count { it.get() > 1 } shouldBe 0
                    // POSTs that were closed, and the few GETs that met three closed connections.
                    failures.get() shouldBeLessThan count / 10
                    // A call is taken off OkHttp's list after its callback has returned.
                    eventually(10.seconds) {
                        client.dispatcher.runningCallsCount() shouldBe 0
                        client.connectionPool.connectionCount() shouldBe client.connectionPool.idleConnectionCount()
                    }
                    client.dispatcher.executorService.shutdown()
                    client.connectionPool.evictAll()
                    Thread.activeCount() - before shouldBeLessThan 60
                }
            }
        }
    })
