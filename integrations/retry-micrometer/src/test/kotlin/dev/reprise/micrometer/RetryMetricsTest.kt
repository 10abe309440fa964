package dev.reprise.micrometer

import dev.reprise.core.CallOptions
import dev.reprise.core.FailureKind
import dev.reprise.core.NoPermit
import dev.reprise.core.Polling
import dev.reprise.core.RetrierCache
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryEventListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.core.Verdict
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.pollUntil
import dev.reprise.presets.Presets
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContain
import io.kotest.matchers.collections.shouldContainAll
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.doubles.plusOrMinus
import io.kotest.matchers.shouldBe
import io.micrometer.core.instrument.Tags
import io.micrometer.core.instrument.simple.SimpleMeterRegistry
import io.micrometer.prometheusmetrics.PrometheusConfig
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.test.runTest
import java.io.IOException
import java.net.SocketTimeoutException
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.TimeUnit
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds

class RetryMetricsTest :
    FunSpec({
        test("the scrape tells what the calls of a client did") {
            val registry = PrometheusMeterRegistry(PrometheusConfig.DEFAULT)
            val metrics = RetryMetrics(registry, "users") { tags(Tags.of("region", "north")) }
            val client = Client(metrics)
            client.call("up")
            client.call(IOException(), "up")
            client.call(SocketTimeoutException(), IOException(), "up")
            client.call(IOException(), IOException(), IOException())
            client.call(IllegalArgumentException())
            client.call(CancellationException())
            client.drainQuota()
            client.call(Slow, "up")
            metrics.watch(client.retrier.quota)

            fun samples(name: String) = registry.scrape().lines().filter { it.startsWith("$name{") }
                .map { it.removePrefix(name).replace("""client="users",""", "").replace(""",region="north"""", "") }

            samples("reprise_calls_total") shouldContainExactlyInAnyOrder
                listOf(
                    """{operation="all",outcome="success",retried="false"} 1.0""",
                    """{operation="all",outcome="success",retried="true"} 2.0""",
                    """{operation="all",outcome="failure",retried="false"} 2.0""",
                    """{operation="all",outcome="failure",retried="true"} 1.0""",
                    """{operation="all",outcome="cancelled",retried="false"} 1.0""",
                    """{operation="all",outcome="cancelled",retried="true"} 0.0""",
                )
            samples("reprise_call_attempts_count") shouldContainExactly listOf("""{operation="all"} 7""")
            samples("reprise_call_attempts_sum") shouldContainExactly listOf("""{operation="all"} 12.0""")
            samples("reprise_give_ups_total") shouldContainExactlyInAnyOrder
                listOf("attempts", "quota", "rejected").map { """{operation="all",reason="$it"} 1.0""" } +
                listOf("deadline", "time", "retried-below", "not-replayable", "rate-limited")
                    .map { """{operation="all",reason="$it"} 0.0""" }
            samples("reprise_retries_total") shouldContainExactlyInAnyOrder
                listOf("transient" to 4.0, "timeout" to 1.0, "throttling" to 0.0)
                    .map { (kind, count) -> """{kind="$kind",operation="all"} $count""" }
            samples("reprise_retry_delay_seconds_count") shouldContainExactly listOf("""{operation="all"} 5""")
            registry.scrape().lines() shouldContainAll
                listOf(
                    """reprise_quota_available_tokens{client="users",region="north"} 0.0""",
                    """reprise_quota_capacity_tokens{client="users",region="north"} 500.0""",
                )
            // 50 ms and, after two failures, 100 ms: the full ceilings of standard mode.
            val delays = registry.get("reprise.retry.delay").timer()
            delays.totalTime(TimeUnit.MILLISECONDS) shouldBe (350.0 plusOrMinus 1e-6)
        }

        test("of calls that were never retried none is taken for one that retries did not help") {
            val registry = SimpleMeterRegistry()
            val client = Client(RetryMetrics(registry, "users"), RetryPolicy.NONE)
            repeat(10) { client.call(IOException()) }
            registry.find("reprise.calls").tags("retried", "true").counters().sumOf { it.count() } shouldBe 0.0
            registry.get("reprise.give.ups").tag("reason", "attempts").counter().count() shouldBe 10.0
        }

        test("adaptive mode shows its rates, and how long attempts waited for a permit") {
            val registry = PrometheusMeterRegistry(PrometheusConfig.DEFAULT)
            val metrics = RetryMetrics(registry, "users")
            val client = Client(metrics, RetryPolicy { sendRate = SendRateSettings.EXACT })
            metrics.watch(client.retrier.quota, client.retrier.sendRate)
            registry.scrape().lines() shouldContain """reprise_send_rate{client="users"} NaN"""

            repeat(3) { client.call(Slow, "up") }

            val rate = client.retrier.sendRate!!
            val scrape = registry.scrape().lines()
            scrape shouldContain """reprise_send_rate{client="users"} ${rate.sendRate}"""
            scrape shouldContain """reprise_measured_rate{client="users"} ${rate.measuredRate}"""
            scrape shouldContain
                """reprise_permit_wait_seconds_count{client="users",operation="all"} ${client.permitWaits}"""
            (client.permitWaits > 0) shouldBe true
        }

        test("the meters of a retrier that is dropped go with it") {
            val registry = SimpleMeterRegistry()
            val metrics = RetryMetrics(registry, "users")
            val watched = ConcurrentHashMap<String, AutoCloseable>()
            val retriers = RetrierCache<String, Retrier>(
                2,
                { host ->
                    Retrier(Presets.named("adaptive-2.1")).also {
                        watched[host] = metrics.watch(it.quota, it.sendRate, Tags.of("host", host))
                    }
                },
                { host, _ -> watched.remove(host)?.close() },
            )
            val hosts = { registry.meters.mapNotNull { it.id.getTag("host") }.sorted() }

            retriers["a"]
            retriers["b"]
            hosts() shouldBe List(4) { "a" } + List(4) { "b" }
            retriers["c"]
            hosts() shouldBe List(4) { "b" } + List(4) { "c" }
        }

        test("one of these serves many retriers, whose names are the clients") {
            val registry = SimpleMeterRegistry()
            val metrics = RetryMetrics.builder().maxClients(2).bindTo(registry)
            for (client in listOf("users", "orders", null, "users", "late", "later")) {
                val retrier = Retrier.builder().name(client).listener(metrics).build()
                runBlocking { retrier { } }
            }
            fun calls() = registry.find("reprise.call.attempts").summaries()
                .associate { it.id.getTag("client") to it.count() }
            calls() shouldBe mapOf("users" to 2L, "orders" to 1L, "unnamed" to 1L, "other" to 2L)

            val quota = RetryQuota(500)
            metrics.watch(quota, null, Tags.of("client", "users"))
            metrics.watch(quota)
            registry.find("reprise.quota.capacity").gauges().map {
                it.id.getTag("client")
            } shouldContainExactlyInAnyOrder
                listOf("users", "unnamed")
            metrics.close()
            registry.meters shouldBe emptyList()
        }

        test("a retrier without a name is unnamed, however many names came before it") {
            val registry = SimpleMeterRegistry()
            val metrics = RetryMetrics.builder().maxClients(1).bindTo(registry)
            for (client in listOf("users", "orders", null)) {
                val retrier = Retrier.builder().name(client).listener(metrics).build()
                runBlocking { retrier { } }
            }
            registry.find("reprise.call.attempts").summaries().associate {
                it.id.getTag("client") to it.count()
            } shouldBe mapOf("users" to 1L, "other" to 1L, "unnamed" to 1L)
            metrics.close()
            registry.meters shouldBe emptyList()
        }

        test("a client that is given counts more than a retrier's name") {
            val registry = SimpleMeterRegistry()
            val metrics = RetryMetrics(registry, "users")
            val retrier = Retrier.builder().name("other").listener(metrics).build()
            runBlocking { retrier { } }
            registry.find("reprise.call.attempts").summaries().map { it.id.getTag("client") to it.count() } shouldBe
                listOf("users" to 1L)
        }

        test("no more operations are told apart than was said") {
            val registry = SimpleMeterRegistry()
            val client = Client(RetryMetrics(registry, "users") { maxOperations(2) })
            for (operation in listOf("get", "put", null, " ", "list", "list-2", "get")) {
                client.call("up", options = CallOptions { this.operation = operation })
            }
            registry.find("reprise.call.attempts").summaries()
                .associate { it.id.getTag("operation") to it.count() } shouldBe
                mapOf("get" to 2L, "put" to 1L, "unnamed" to 2L, "other" to 2L)
        }

        test("a thousand operations and calls make no more series than one of each") {
            fun series(operations: Int, calls: Int): Int {
                val registry = SimpleMeterRegistry()
                val client = Client(RetryMetrics(registry, "users"))
                repeat(calls) { client.call(IOException("$it"), "up", options = CallOptions("op ${it % operations}")) }
                return registry.meters.size
            }
            series(operations = 1000, calls = 1000) shouldBe series(operations = 1, calls = 1)
        }

        test("every kind and every reason to give up has its counter from the start") {
            val registry = SimpleMeterRegistry()
            RetryMetrics(registry, "users")
            registry.find("reprise.retries").counters().map {
                it.id.getTag("kind")
            }.sortedBy { it } shouldContainExactly FailureKind.entries.map { it.name.lowercase() }.sorted()
            registry.find("reprise.give.ups").counters().map { it.id.getTag("reason") }.toSet() shouldBe setOf(
                "attempts",
                "quota",
                "deadline",
                "time",
                "retried-below",
                "rejected",
                "not-replayable",
                "rate-limited",
            )
        }

        test("a call that gets no permit is a failure without attempts") {
            val registry = SimpleMeterRegistry()
            val policy = RetryPolicy {
                sendRate = SendRateSettings.EXACT
                onNoPermit = NoPermit.Fail
            }
            val client = Client(RetryMetrics(registry, "users"), policy)
            repeat(5) { client.call(Slow, "up") }
            (registry.get("reprise.give.ups").tag("reason", "rate-limited").counter().count() > 0) shouldBe true
        }

        test("a poll is one call, and each further look a retry") {
            val registry = SimpleMeterRegistry()
            val metrics = RetryMetrics(registry, "users")
            val retrier = Retrier(RetryPolicy.STANDARD) { listener(metrics) }
            var looks = 0
            runTest { retrier.pollUntil(Polling.every(1.seconds, 1.minutes), { it == 4 }) { ++looks } shouldBe 4 }
            registry.find("reprise.calls").counters().sumOf { it.count() } shouldBe 1.0
            registry.find("reprise.retries").counters().sumOf { it.count() } shouldBe 3.0
        }

        test("names and bounds are checked") {
            shouldThrow<IllegalArgumentException> { RetryMetrics(SimpleMeterRegistry(), " ") }.message shouldBe
                "client must not be blank: ' '"
            shouldThrow<IllegalArgumentException> {
                RetryMetrics(SimpleMeterRegistry(), "users") { maxOperations(-1) }
            }.message shouldBe "maxOperations must not be negative: -1"
        }
    })

/** Stands for an answer "slow down". */
internal object Slow

/** A client whose calls end as told, in time of its own. */
internal class Client(metrics: RetryMetrics, policy: RetryPolicy = RetryPolicy.STANDARD) {
    private var now = 0L
    var permitWaits = 0
        private set

    private val counting = object : RetryEventListener {
        override fun onPermitWaited(event: RetryEvent.PermitWaited) {
            permitWaits++
        }
    }

    val retrier =
        Retrier.builder(
            policy.with {
                onFailure {
                    when (it) {
                        is Throttled -> Verdict.THROTTLING
                        is SocketTimeoutException -> Verdict.TIMEOUT
                        else -> null
                    }
                }
            },
        ).quota(RetryQuota(500)).listener(metrics).listener(counting).clock { now }.draws { 1.0 }.waiter {
            now += it.inWholeNanoseconds
        }.build()

    /** One call, whose attempts end with these [outcomes]. */
    fun call(vararg outcomes: Any, options: CallOptions = CallOptions.DEFAULT) {
        runBlocking {
            try {
                retrier.outcome(options) {
                    when (val outcome = outcomes[it.number - 1]) {
                        is Throwable -> throw outcome
                        Slow -> throw Throttled()
                        else -> outcome
                    }
                }
            } catch (_: CancellationException) {
                // That is how a cancelled call ends.
            }
        }
    }

    fun drainQuota() {
        retrier.quota!!.run { tryTake(available, null) }
    }

    private class Throttled : RuntimeException()
}
