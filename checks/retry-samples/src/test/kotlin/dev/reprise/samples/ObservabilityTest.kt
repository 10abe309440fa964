package dev.reprise.samples

import dev.reprise.core.CallOptions
import dev.reprise.core.LoggingListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.backoff.RandomSource
import dev.reprise.core.classify.HttpOutcome
import dev.reprise.coroutines.Retrier
import dev.reprise.micrometer.RetryMetrics
import dev.reprise.opentelemetry.RetryMeters
import dev.reprise.opentelemetry.RetryTracing
import dev.reprise.opentelemetry.inSpan
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldNotBeEmpty
import io.kotest.matchers.shouldBe
import io.micrometer.core.instrument.simple.SimpleMeterRegistry
import io.opentelemetry.api.OpenTelemetry
import kotlinx.coroutines.test.runTest
import java.nio.file.Path
import java.util.ResourceBundle
import kotlin.io.path.readText

private class Users {
    fun fetch(id: Int): String = "user $id"
}

/** The answer of a server that asks for a minute. */
private object Throttled : HttpOutcome() {
    override val status: Int get() = 429

    override fun header(name: String): String? = "60000".takeIf { name == "x-amz-retry-after" }
}

/** Keeps what is logged at debug and above in [lines]. */
private class Lines(private val lines: MutableList<String>) : System.Logger {
    override fun getName(): String = "lines"

    override fun isLoggable(level: System.Logger.Level): Boolean = level >= System.Logger.Level.DEBUG

    override fun log(level: System.Logger.Level, bundle: ResourceBundle?, text: String, thrown: Throwable?) {
        lines += "$level $text"
    }

    override fun log(level: System.Logger.Level, bundle: ResourceBundle?, format: String, vararg parameters: Any?) {
        lines += "$level $format"
    }
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

        test("the log on the page is that of a call which is throttled once") {
            val logged = mutableListOf<String>()
            val retrier = Retrier {
                name = "users-api"
                draws = RandomSource { 1.0 }
                listener(LoggingListener(Lines(logged)))
            }
            runTest { retrier(CallOptions("users.get")) { if (it.number == 1) Throttled else "user" } }
            val page = Path.of("../../docs/observability.md").readText().lines()
            val number = Regex("#[0-9]+:")
            logged.map { it.replace(number, "#17:") } shouldBe page.filter { "[users-api]" in it }
        }

        test("metrics that were asked for") {
            val registry = SimpleMeterRegistry()
            val metrics = RetryMetrics(registry, "users-api") {
                maxOperations = 20
                histograms = true
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
