package dev.reprise.samples

import dev.reprise.core.CallOptions
import dev.reprise.core.LoggingListener
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryEventListener
import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import dev.reprise.micrometer.RetryMetrics
import dev.reprise.opentelemetry.RetryMeters
import dev.reprise.opentelemetry.RetryTracing
import dev.reprise.opentelemetry.inSpan
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldNotBeEmpty
import io.kotest.matchers.shouldBe
import io.micrometer.core.instrument.simple.SimpleMeterRegistry
import io.opentelemetry.api.OpenTelemetry
import kotlinx.coroutines.test.runTest

private class Users {
    fun fetch(id: Int): String = "user $id"
}

private class GiveUps(private val alert: (String) -> Unit) : RetryEventListener {
    override fun onCallGaveUp(event: RetryEvent.CallGaveUp) = alert("${event.retrier} gave up: ${event.reason}")
}

/** The snippets of the observability guide, run. */
class ObservabilityTest :
    FunSpec({
        test("metrics and logs of a retrier") {
            val registry = SimpleMeterRegistry()
            val policy = RetryPolicy.STANDARD
            val metrics = RetryMetrics(registry, "users-api")
            val retrier = Retrier(policy) {
                name = "users-api"
                listener(metrics)
                listener(LoggingListener())
            }
            metrics.watch(retrier.quota, retrier.sendRate)
            runTest { retrier { 7 } shouldBe 7 }
            registry.meters.shouldNotBeEmpty()
        }

        test("a listener of one's own") {
            val told = mutableListOf<String>()
            val retrier = Retrier(RetryPolicy.STANDARD) {
                name = "users-api"
                listener(GiveUps(told::add))
            }
            runTest { shouldThrow<IllegalStateException> { retrier { error("broken") } } }
            told shouldBe listOf("users-api gave up: rejected")
        }

        test("metrics that were asked for") {
            val registry = SimpleMeterRegistry()
            val metrics = RetryMetrics(registry, "users-api") {
                maxOperations(20)
                histograms()
            }
            metrics.use { registry.meters.shouldNotBeEmpty() }
            registry.meters.shouldBeEmpty()
        }

        test("metrics through OpenTelemetry") {
            val openTelemetry = OpenTelemetry.noop()
            val policy = RetryPolicy.STANDARD
            val meters = RetryMeters(openTelemetry, "users-api")
            val retrier = Retrier(policy) { listener(meters) }
            meters.watch(retrier.quota)
            runTest { retrier { 7 } shouldBe 7 }
        }

        test("a span for each attempt") {
            val openTelemetry = OpenTelemetry.noop()
            val policy = RetryPolicy.STANDARD
            val api = Users()
            val id = 7
            runTest {
                val tracing = RetryTracing(openTelemetry)
                val retrier = Retrier(policy) { listener(tracing) }
                val user = retrier(CallOptions("users.get")) { attempt -> tracing.inSpan(attempt) { api.fetch(id) } }
                user shouldBe "user 7"
            }
        }
    })
