package dev.reprise.micrometer

import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.core.SteadyQuotaSettings
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.coroutines.Retrier
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.doubles.shouldBeGreaterThan
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.boolean
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll
import io.micrometer.core.instrument.Tags
import io.micrometer.core.instrument.simple.SimpleMeterRegistry
import io.micrometer.prometheusmetrics.PrometheusConfig
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry
import kotlinx.coroutines.runBlocking
import java.io.IOException

/** How many time series there are, and when they go. */
class SeriesTest :
    FunSpec({
        fun PrometheusMeterRegistry.series() = scrape().lines().count { it.startsWith("reprise_") }

        fun adaptive(metrics: RetryMetrics) = Client(metrics, RetryPolicy { sendRate = SendRateSettings.EXACT }).also {
            metrics.watch(it.retrier.quota, it.retrier.sendRate)
        }

        test("a client has at most 32, whatever it does") {
            val registry = PrometheusMeterRegistry(PrometheusConfig.DEFAULT)
            val client = adaptive(RetryMetrics(registry, "users"))
            registry.series() shouldBeLessThanOrEqual 32
            val before = registry.series()
            repeat(20) { client.call(IOException("$it"), Slow, "up") }
            registry.series() shouldBe before
        }

        test("each operation that is told apart has 28, and 27 more with buckets") {
            fun series(operations: Int, histograms: Boolean): Int {
                val registry = PrometheusMeterRegistry(PrometheusConfig.DEFAULT)
                val metrics = RetryMetrics(registry, "users") {
                    maxOperations(1_000)
                    if (histograms) histograms()
                }
                val client = Client(metrics)
                repeat(operations) { client.call("up", options = CallOptions("op $it")) }
                return registry.series()
            }
            checkAll(5, Arb.int(0..20), Arb.boolean()) { operations, histograms ->
                series(operations, histograms) shouldBe (operations + 1) * (if (histograms) 55 else 28)
            }
        }

        test("a retry that the share of its operation refused is counted, and no other") {
            val registry = SimpleMeterRegistry()
            var now = 0L
            val policy = RetryPolicy {
                quota = SteadyQuotaSettings.DEFAULT
                backoff = Backoff.IMMEDIATE
            }
            val metrics = RetryMetrics(registry, "users")
            val retrier = Retrier.builder(policy).clock { now }.listener(metrics).build()
            fun refused() = registry.get("reprise.quota.share.refused").counter().count()
            runBlocking {
                repeat(1_000) {
                    now += 10_000_000
                    retrier { }
                }
                repeat(20) { retrier.outcome<Unit>(CallOptions("dead")) { throw IOException() } }
                val ofDead = refused()
                ofDead shouldBeGreaterThan 0.0
                repeat(50) { retrier.outcome<Unit> { throw IOException() } }
                refused() shouldBe ofDead
            }
        }

        test("a registry that is bound later has everything from then on, and each of several has all") {
            val metrics = RetryMetrics("users")
            val client = adaptive(metrics)
            client.call("up")
            val first = SimpleMeterRegistry()
            val second = SimpleMeterRegistry()
            metrics.bindTo(first)
            metrics.bindTo(first)
            metrics.bindTo(second)
            client.call("up")
            for (registry in listOf(first, second)) {
                registry.get("reprise.calls").tags("outcome", "success").counters().sumOf { it.count() } shouldBe 1.0
                registry.get("reprise.quota.available").gauge().value() shouldBe 500.0
            }
            first.meters.size shouldBe second.meters.size
        }

        test("closed, it leaves nothing behind, and what comes later makes nothing") {
            val registry = SimpleMeterRegistry()
            registry.counter("of.another")
            val metrics = RetryMetrics(registry, "users") { maxOperations(10) }
            val client = adaptive(metrics)
            repeat(5) { client.call("up", options = CallOptions("op $it")) }
            metrics.close()
            client.call("up", options = CallOptions("another"))
            metrics.watch(client.retrier.quota)
            registry.meters.map { it.id.name } shouldBe listOf("of.another")
            shouldThrow<IllegalStateException> { metrics.bindTo(registry) }
        }

        test("an event that is being recorded while the metrics are closed leaves nothing behind") {
            val registry = SimpleMeterRegistry()
            val meters = RegistryMeters(registry, MetricsSettings(client = null, maxOperations = 10))
            val before = meters.of("users", "get")
            meters.close()
            before.hedge("started")
            meters.of("users", "new").hedge("started")
            meters.of("orders", null).hedge("started")
            registry.meters.shouldBeEmpty()
        }

        test("the gauges of what is replaced or no longer watched go") {
            val registry = SimpleMeterRegistry()
            val metrics = RetryMetrics(registry, "users")
            fun available() = registry.find("reprise.quota.available").gauges()
            val host = Tags.of("host", "a")
            val old = RetryQuota(500, 1)
            val new = RetryQuota(500, 2)
            val first = metrics.watch(old, more = host)
            val second = metrics.watch(new, more = host)
            available().map { it.value() } shouldBe listOf(2.0)
            first.close()
            available().size shouldBe 1
            second.close()
            available().shouldBeEmpty()
        }

        test("the gauges of a quota that is garbage go with the next call") {
            val registry = SimpleMeterRegistry()
            val metrics = RetryMetrics(registry, "users")
            val client = Client(metrics)
            repeat(100) { metrics.watch(RetryQuota(500), more = Tags.of("host", "$it")) }
            fun gauges() = registry.find("reprise.quota.available").gauges()
            var collections = 0
            while (gauges().isNotEmpty() && collections++ < 200) {
                System.gc()
                client.call("up")
            }
            gauges().shouldBeEmpty()
        }
    })
