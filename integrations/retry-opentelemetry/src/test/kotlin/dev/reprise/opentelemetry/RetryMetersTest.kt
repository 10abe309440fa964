package dev.reprise.opentelemetry

import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.coroutines.Retrier
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.doubles.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.opentelemetry.api.OpenTelemetry
import io.opentelemetry.api.common.Attributes
import io.opentelemetry.api.metrics.Meter
import io.opentelemetry.api.metrics.ObservableLongGauge
import io.opentelemetry.sdk.OpenTelemetrySdk
import io.opentelemetry.sdk.metrics.SdkMeterProvider
import io.opentelemetry.sdk.metrics.data.MetricData
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.runBlocking
import java.io.IOException
import java.lang.reflect.Proxy
import java.net.SocketTimeoutException

class RetryMetersTest :
    FunSpec({
        class Metrics {
            private val reader = InMemoryMetricReader.create()
            val openTelemetry: OpenTelemetrySdk = OpenTelemetrySdk.builder()
                .setMeterProvider(SdkMeterProvider.builder().registerMetricReader(reader).build()).build()

            fun all(): Map<String, MetricData> = reader.collectAllMetrics().associateBy { it.name }

            /** Each series of a histogram as its attributes, its count and its sum. */
            fun series(name: String) = all()[name]?.histogramData?.points.orEmpty().map {
                Triple(it.attributes.asMap().mapKeys { (key, _) -> key.key }, it.count, it.sum)
            }
        }

        fun retrier(meters: RetryMeters, policy: RetryPolicy = RetryPolicy.STANDARD): Retrier {
            var now = 0L
            return Retrier.builder(policy).listener(meters).clock { now }.draws { 1.0 }.waiter {
                now +=
                    it.inWholeNanoseconds
            }.build()
        }

        fun Retrier.call(vararg outcomes: Any) = runBlocking {
            runCatching { invoke { outcomes[it.number - 1].let { end -> if (end is Throwable) throw end else end } } }
        }

        test("the histograms tell what the calls of a client did") {
            val metrics = Metrics()
            val retrier = retrier(RetryMeters(metrics.openTelemetry, "users"))
            retrier.call("up")
            retrier.call(IOException(), "up")
            retrier.call(SocketTimeoutException(), IOException(), IOException())
            retrier.call(IllegalArgumentException())
            retrier.call(CancellationException())

            fun call(reason: String, retried: Boolean) =
                mapOf("reprise.client" to "users", "reprise.stop.reason" to reason, "reprise.retried" to retried)
            metrics.series("reprise.call.attempts") shouldContainExactlyInAnyOrder
                listOf(
                    Triple(call("success", false), 1L, 1.0),
                    Triple(call("success", true), 1L, 2.0),
                    Triple(call("attempts", true), 1L, 3.0),
                    Triple(call("rejected", false), 1L, 1.0),
                    Triple(call("cancelled", false), 1L, 1.0),
                )
            val delays = metrics.series("reprise.retry.delay").map { (attributes, count, _) -> attributes to count }
            delays shouldContainExactlyInAnyOrder
                listOf(
                    mapOf("reprise.client" to "users", "reprise.failure.kind" to "transient") to 2L,
                    mapOf("reprise.client" to "users", "reprise.failure.kind" to "timeout") to 1L,
                )
            metrics.all().getValue("reprise.retry.delay").unit shouldBe "s"
            metrics.all().getValue("reprise.call.attempts").instrumentationScopeInfo.version shouldBe Scope.version
        }

        test("waits for permits are told in seconds") {
            val metrics = Metrics()
            val adaptive = RetryPolicy { sendRate = SendRateSettings.EXACT }
            val retrier = retrier(RetryMeters(metrics.openTelemetry, "users"), adaptive)
            repeat(3) { retrier.call(Throttle(), "up") }
            metrics.series("reprise.permit.wait").single().third shouldBeGreaterThan 0.0
        }

        test("a quota is shown as long as it is watched") {
            val metrics = Metrics()
            val meters = RetryMeters(metrics.openTelemetry, "users")
            val retrier = retrier(meters)
            val watch = meters.watch(retrier.quota, Attributes.builder().put("host", "a").build())
            fun gauge(name: String) = metrics.all()[name]?.longGaugeData?.points.orEmpty().map { it.value }
            gauge("reprise.quota.capacity") shouldBe listOf(500L)
            retrier.call(IOException(), IOException(), IOException())
            gauge("reprise.quota.available") shouldBe listOf(472L)
            watch.close()
            gauge("reprise.quota.available").shouldBeEmpty()
            meters.watch(null).close()
        }

        test("without a client's name the retrier's counts") {
            val metrics = Metrics()
            val meters = RetryMeters(metrics.openTelemetry)
            for (name in listOf("users", null, "users")) {
                Retrier.builder().name(name).listener(meters).build().call("up")
            }
            metrics.series("reprise.call.attempts").map { (attributes, count, _) ->
                attributes["reprise.client"] to count
            } shouldContainExactlyInAnyOrder listOf("users" to 2L, "unnamed" to 1L)
        }

        test("the names of retriers have a bound") {
            val metrics = Metrics()
            val meters = RetryMeters(metrics.openTelemetry)
            repeat(2) { for (i in 1..150) Retrier.builder().name("host$i").listener(meters).build().call("up") }
            Retrier.builder().listener(meters).build().call("up")
            val calls = metrics.series("reprise.call.attempts").associate { it.first["reprise.client"] to it.second }
            calls.size shouldBe 102
            calls["host100"] shouldBe 2
            calls["other"] shouldBe 100
            calls["unnamed"] shouldBe 1
        }

        test("the gauges of a quota that is garbage go with the next call") {
            val open = mutableSetOf<Any>()
            val meters = RetryMeters(counting(open, OpenTelemetry::class.java, OpenTelemetry.noop()), "users")
            val retrier = retrier(meters)
            repeat(100) { meters.watch(RetryQuota(500), Attributes.builder().put("host", "$it").build()) }
            var collections = 0
            while (open.isNotEmpty() && collections++ < 200) {
                System.gc()
                retrier.call("up")
            }
            open.shouldBeEmpty()
        }

        test("a client has a name") {
            shouldThrow<IllegalArgumentException> { RetryMeters(Metrics().openTelemetry, " ") }.message shouldBe
                "client must not be blank: ' '"
        }
    })

/** [real], which keeps in [open] the callbacks of gauges that are registered and not closed, as an SDK does. */
private fun <T : Any> counting(open: MutableSet<Any>, type: Class<T>, real: T): T = type.cast(
    Proxy.newProxyInstance(type.classLoader, arrayOf(type)) { _, method, arguments ->
        val result = method.invoke(real, *arguments.orEmpty())
        when {
            method.name == "buildWithCallback" -> {
                open += arguments[0]
                object : ObservableLongGauge {
                    override fun close() {
                        open -= arguments[0]
                    }
                }
            }

            method.returnType.packageName == Meter::class.java.packageName -> wrapped(open, method.returnType, result)

            else -> result
        }
    },
)

private fun <T : Any> wrapped(open: MutableSet<Any>, type: Class<T>, real: Any): T =
    counting(open, type, type.cast(real))

private class Throttle :
    RuntimeException(),
    dev.reprise.core.RetryableFailure {
    override val failureKind get() = dev.reprise.core.FailureKind.THROTTLING
}
