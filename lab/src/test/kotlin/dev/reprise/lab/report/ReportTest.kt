package dev.reprise.lab.report

import dev.reprise.core.RetryPolicy
import dev.reprise.lab.experiment.Section
import dev.reprise.lab.fleet.Contestant
import dev.reprise.lab.run.LongRun
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeIn
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain

class ReportTest :
    FunSpec({
        val policies = mapOf("none" to RetryPolicy.NONE, "standard <2.1>" to RetryPolicy.STANDARD)

        fun sections(seed: Long, only: String = ""): List<Section> =
            StandardExperiments(size = 0.01).all.filter { only in it.name }
                .map { it.run(policies.mapValues { (_, policy) -> Contestant(policy) }, seed, LongRun()).section!! }
        val sections by lazy { sections(seed = 1) }

        fun page(sections: List<Section>, missing: List<String> = emptyList()) =
            HtmlPage(sections, mapOf("standard <2.1>" to "standard-2.1"), "retry-lab report", missing).html()

        test("every experiment gives a section with pictures and a row for each policy") {
            for (section in sections) {
                section.rows.map { it.first() } shouldBe policies.keys.toList()
                section.rows.forEach { it.size shouldBe section.heading.size }
                section.headline.forEach { it shouldBeIn section.heading }
                section.plots.forEach { it.svg() shouldContain "<svg" }
            }
        }

        test("the page asks nobody for anything, and says in words what each picture shows") {
            val page = page(sections)
            page shouldContain "standard &lt;2.1&gt;"
            page shouldNotContain "standard <2.1>"
            page shouldNotContain "partial:"
            page shouldNotContain "http-equiv"
            page shouldNotContain "url(http"
            Regex("""(src|href)="https?:""").containsMatchIn(page) shouldBe false
            Regex("Result:</strong>").findAll(page).count() shouldBe StandardExperiments.names.size
        }

        test("one verdict and one picture stand first, then a table of grades") {
            val page = page(sections)
            val order = listOf("<p class=\"verdict\">", "<figure", "<table", "Every client on this page", "<section")
            order.map(page::indexOf).let {
                it shouldBe it.sorted()
                it.first() shouldBeGreaterThan 0
            }
            page shouldContain "<td class=\"bad\">bad</td>"
        }

        test("closed loops are labelled and come last") {
            val closed = sections.map { it.isClosedLoop }
            closed shouldBe closed.sorted()
            for (section in sections) section.title.contains("(closed loop)") shouldBe section.isClosedLoop
            sections.last().words shouldContain "who fails sooner asks sooner"
            sections.last().verdicts.values.forEach { it shouldNotContain "lost" }
        }

        test("no two pictures of a page share the names of their parts") {
            val ids = Regex("""\bid="([^"]+)"""").findAll(page(sections)).map { it.groupValues[1] }.toList()
            ids.distinct() shouldBe ids
        }

        test("the same seed gives the same page, byte for byte, and another seed another") {
            fun drawn(seed: Long) = page(sections(seed, only = "outage"))
            drawn(seed = 5) shouldBe drawn(seed = 5)
            drawn(seed = 5) shouldNotBe drawn(seed = 6)
        }

        test("a page whose program was stopped says so, and what it lacks") {
            val page = page(emptyList(), missing = listOf("throttle", "occ"))
            page shouldContain "This report is partial"
            page shouldContain "What is missing: throttle, occ."
        }
    })
