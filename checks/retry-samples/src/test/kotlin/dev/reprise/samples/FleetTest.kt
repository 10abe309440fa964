@file:OptIn(ExperimentalReprise::class)

package dev.reprise.samples

import dev.reprise.core.ExperimentalReprise
import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import dev.reprise.micrometer.RetryMetrics
import dev.reprise.redis.RedisQuota
import dev.reprise.redis.RedisSendRate
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.lettuce.core.RedisClient
import io.micrometer.core.instrument.Gauge
import io.micrometer.core.instrument.simple.SimpleMeterRegistry
import java.io.IOException
import java.time.Duration

/** The snippets of the guide to fleets, run without a server: that fails no call. */
class FleetTest :
    FunSpec({
        val client = RedisClient.create("redis://127.0.0.1:1")

        afterSpec { client.shutdown(Duration.ZERO, Duration.ofSeconds(2)) }

        suspend fun Retrier.callsTwice() {
            var attempts = 0
            val done = this {
                if (++attempts == 1) throw IOException("once")
                "done"
            }
            done shouldBe "done"
            attempts shouldBe 2
        }

        test("a shared quota") {
            val policy = RetryPolicy.STANDARD

            val retrier = Retrier(policy) { quota = RedisQuota(client, "orders") }

            retrier.callsTwice()
        }

        test("a shared quota and a shared send rate") {
            val policy = RetryPolicy.ADAPTIVE_STEADY

            val retrier = Retrier(policy) {
                quota = RedisQuota(client, "orders")
                sendRate = RedisSendRate(client, "orders")
            }

            retrier.callsTwice()
        }

        test("which of them is in force") {
            val registry = SimpleMeterRegistry()
            val log = mutableListOf<String>()

            val shared = RedisQuota(client, "orders") {
                capacity(50_000)
                listener { event -> log += event.toString() }
            }
            val retrier = Retrier(RetryPolicy.STANDARD) { quota = shared }
            RetryMetrics(registry, "orders").watch(retrier.quota, retrier.sendRate)
            Gauge.builder("fleet.shared", shared) { if (it.isShared) 1.0 else 0.0 }.register(registry)

            retrier.callsTwice()
            registry.get("reprise.quota.capacity").gauge().value() shouldBe 50_000.0
            registry.find("fleet.shared").gauge().shouldNotBeNull()
            shared.close()
        }
    })
