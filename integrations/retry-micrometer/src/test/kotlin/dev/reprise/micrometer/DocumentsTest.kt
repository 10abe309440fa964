package dev.reprise.micrometer

import dev.reprise.core.Hedge
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.core.Upstream
import dev.reprise.coroutines.Retrier
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldNotBeEmpty
import io.kotest.matchers.shouldBe
import io.micrometer.prometheusmetrics.PrometheusConfig
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry
import kotlinx.coroutines.delay
import kotlinx.coroutines.test.runTest
import kotlin.io.path.Path
import kotlin.io.path.readText
import kotlin.time.Duration.Companion.milliseconds

/** The page, the dashboard and the alert rules speak of the meters that a scrape shows, and the page of all of them. */
class DocumentsTest :
    FunSpec({
        val registry = PrometheusMeterRegistry(PrometheusConfig.DEFAULT)
        val metrics = RetryMetrics(registry, "users")
        val client = Client(metrics, RetryPolicy { sendRate = SendRateSettings.EXACT })
        metrics.watch(client.retrier.quota, client.retrier.sendRate)
        client.call("up")
        InboundMetrics(registry).accept(Upstream(1))
        val hedging =
            Retrier(RetryPolicy { hedge = Hedge.after(1.milliseconds, maxExtraLoad = 1.0) }) { listener(metrics) }
        runTest { hedging { delay(50.milliseconds) } }
        val samples = Regex("^reprise_\\w+", RegexOption.MULTILINE).findAll(registry.scrape()).map { it.value }.toSet()
        val documents = Path("../../docs")

        fun named(file: String) = Regex("\\breprise_\\w+").findAll(documents.resolve(file).readText()).map {
            it.value
        }.toSet()

        for (file in listOf("observability.md", "observability/dashboard.json", "observability/alerts.yml")) {
            test("$file names no meter that is not there") {
                named(file).shouldNotBeEmpty()
                (named(file) - samples).shouldBeEmpty()
            }
        }

        test("the table names every meter, in Micrometer's form and as Prometheus shows it") {
            val page = documents.resolve("observability.md").readText()
            val rows = Regex("^\\| `(reprise\\.[a-z.]+)` \\|.*`(reprise_\\w+)`", RegexOption.MULTILINE).findAll(page)
            val table = rows.associate { it.groupValues[1] to it.groupValues[2] }
            table.keys shouldBe registry.meters.map { it.id.name }.toSet()
            (table.values.toSet() - samples).shouldBeEmpty()
        }
    })
