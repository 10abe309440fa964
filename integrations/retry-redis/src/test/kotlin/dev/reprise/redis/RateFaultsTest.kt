package dev.reprise.redis

import dev.reprise.build.WaitingSpec
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.core.Verdict
import dev.reprise.java.JavaRetrier
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.doubles.shouldBeLessThan
import io.kotest.matchers.shouldBe
import io.lettuce.core.RedisClient
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.TimeUnit

/** What becomes of a shared send rate when a real server is killed or stands still: attempts go on. */
class RateFaultsTest :
    WaitingSpec({
        class Scene(server: RedisProcess) : AutoCloseable {
            val events = CopyOnWriteArrayList<FleetEvent>()
            private val settings = FleetSettings { listener { events += it } }
            private val bucket = Bucket(RATE, BURST)
            private val client = RedisClient.create(server.url)
            private val rates = List(3) { RedisSendRate.of(client, "orders", settings, SendRateSettings.STEADY) }
            private val senders: List<Sending>

            init {
                senders = rates.map { Sending(it) { synchronized(bucket) { bucket.admits(System.nanoTime()) } } }
                until("all shared, and the rate found") { rates.all { it.isShared && (it.sendRate ?: 0.0) > RATE / 2 } }
            }

            private fun sent() = senders.sumOf { it.sent.get() }

            /** Attempts go on while the clients are alone, and none waits for the server that is gone. */
            fun goesOn(fault: String) {
                senders.forEach { it.longestGapMs() }
                until("all alone") { rates.none { it.isShared } }
                val before = sent()
                until("attempts go on") { sent() > before + 60 }
                val gap = senders.maxOf { it.longestGapMs() }
                Figures.note("$fault: the longest time between two attempts of a client, ms", gap)
                // A client sends 20 times a second; a command would wait for a minute.
                gap shouldBeLessThan if (isNightly) 2_000.0 else 20_000.0
            }

            fun comesBack() {
                until("all shared again") { rates.all { it.isShared } }
                val before = sent()
                until("attempts go on") { sent() > before + 60 }
                events.filter { it.name != "orders" }.shouldBeEmpty()
            }

            override fun close() {
                senders.forEach { it.close() }
                rates.forEach { it.close() }
                client.shutdown(Duration.ZERO, Duration.ofSeconds(2))
            }
        }

        test("a server that is killed and begins again with nothing") {
            RedisProcess().use { server ->
                Scene(server).use {
                    server.kill()
                    it.goesOn("rate, kill -9")
                    server.restart()
                    it.comesBack()
                }
            }
        }

        test("calls that wait for a permit of a rate whose server is killed all end, and leave no one in the line") {
            RedisProcess().use { server ->
                val client = RedisClient.create(server.url)
                RedisSendRate.of(client, "orders", FleetSettings.DEFAULT, SendRateSettings.STEADY).use { rate ->
                    val policy = RetryPolicy {
                        noQuota()
                        noBackoff()
                        sendRate = SendRateSettings.STEADY
                        onFailure { Verdict.THROTTLING }
                    }
                    val retrier = JavaRetrier.builder(policy).sendRate(rate).build()
                    runCatching { retrier.call<Any, Exception> { error("slow down") } }
                    val calls = List(2) { retrier.callAsync { CompletableFuture.completedFuture(it) } }
                    calls.any { it.isDone.not() } shouldBe true
                    server.kill()
                    calls.map { it.get(60, TimeUnit.SECONDS) } shouldBe listOf(0, 1)
                    retrier.callAsync { CompletableFuture.completedFuture(4) }.get(60, TimeUnit.SECONDS) shouldBe 4
                }
                client.shutdown(Duration.ZERO, Duration.ofSeconds(2))
            }
        }

        nightly("a server that stands still with its connections open") {
            RedisProcess().use { server ->
                Scene(server).use {
                    server.pause()
                    it.goesOn("rate, SIGSTOP")
                    server.resume()
                    it.comesBack()
                }
            }
        }
    })

private const val RATE = 60.0
private const val BURST = 6.0
