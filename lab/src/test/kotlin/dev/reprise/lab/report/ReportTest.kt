package dev.reprise.lab.report

import dev.reprise.core.RetryPolicy
import dev.reprise.lab.experiment.Section
import dev.reprise.lab.fleet.Contestant
import dev.reprise.lab.plot.LinePlot
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.collections.shouldBeIn
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import kotlin.io.path.createDirectories
import kotlin.io.path.writeText

class ReportTest :
    FunSpec({
        val policies = mapOf("none" to RetryPolicy.NONE, "standard <2.1>" to RetryPolicy.STANDARD)

        fun sections(seed: Long, only: String = ""): List<Section> = StandardExperiments.all.filter { only in it.name }
            .map { it.run(policies.mapValues { (_, policy) -> Contestant(policy) }, seed).section }
        val sections by lazy { sections(seed = 1) }

        fun page(sections: List<Section>, missing: List<String> = emptyList()) = HtmlPage(
            sections,
            mapOf("none" to "none", "standard <2.1>" to "standard-2.1"),
            "retry-lab report",
            missing,
        ).html()

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

        test("the first sentence says what was tried, and names the default; then comes one picture") {
            val page = page(sections)
            val order = listOf("<p class=\"summary\">", "<figure", "Every client on this page", "<section", "<table")
            order.map(page::indexOf).let {
                it shouldBe it.sorted()
                it.first() shouldBeGreaterThan 0
            }
            page shouldContain "2 policies were tried in 3 experiments: a server that fails for a while; " +
                "a server that loses requests for a while; a server that throttles (closed loop). " +
                "The library&#39;s default is “standard &lt;2.1&gt;”.".replace("&#39;", "'")
            summary(sections.take(1), mapOf("mine" to "none")) shouldBe
                "One policy was tried in one experiment: a server that fails for a while. " +
                "The library's default, standard-2.1, is not among them."
            summary(emptyList(), emptyMap()) shouldBe null
        }

        test("a row of a table has the colour of its policy's line in each picture of the section") {
            for (section in sections) {
                val inks = section.plots.map { it.inks - "the server works on" - "the server admits" }
                inks.distinct().size shouldBe 1
                inks.first().keys shouldBe section.rows.map { it.first() }.toSet()
                val table = page(listOf(section)).substringAfter("<table")
                for ((light, dark) in inks.first().values) table shouldContain "--light: $light; --dark: $dark"
                for ((light, _) in inks.first().values) {
                    val rgb = light.drop(1).chunked(2).joinToString(",") { "${it.toInt(radix = 16)}" }
                    section.plots.forEach { it.svg() shouldContain "rgb($rgb)" }
                }
            }
        }

        test("a narrow screen loses nothing: each cell says what it is, and a picture what its axis shows") {
            val page = page(sections)
            for (section in sections) {
                section.heading.drop(1).forEach { page shouldContain "<td data-label=\"$it\">" }
                for (plot in section.plots) {
                    val narrow = plot.svg(LinePlot.Shape.NARROW)
                    narrow shouldContain "Upward:"
                    Regex("<text[^>]*rotate").containsMatchIn(narrow) shouldBe false
                }
            }
        }

        test("a policy with a send rate is judged as what it is for") {
            val paced = StandardExperiments.all.associate { experiment ->
                val policies = mapOf("steady" to Contestant(RetryPolicy.ADAPTIVE_STEADY))
                experiment.name to experiment.run(policies, seed = 1).section.verdicts.getValue("steady")
            }
            paced.getValue("throttle") shouldContain
                Regex("It is there to keep to the server's rate: it uses 9\\d\\.\\d % of it\\.")
            paced.getValue("outage") shouldContain "Its send rate is for servers that throttle, and this one does not."
            sections.flatMap { it.verdicts.values }.forEach { it shouldNotContain "rate" }
        }

        test("no sentence grades a policy by one experiment") {
            for (word in listOf("well everywhere", "does badly", ">good<", ">bad<")) {
                page(sections) shouldNotContain word
            }
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
            fun drawn(seed: Long) = page(sections(seed, only = "throttle"))
            drawn(seed = 5) shouldBe drawn(seed = 5)
            drawn(seed = 5) shouldNotBe drawn(seed = 6)
        }

        test("a page whose program was stopped says so, and what it lacks") {
            val page = page(emptyList(), missing = listOf("throttle", "occ"))
            page shouldContain "This report is partial"
            page shouldContain "What is missing: throttle, occ."
        }

        val folder = tempdir().toPath()

        test("a folder that holds other files is taken") {
            val other = folder.resolve("other").createDirectories()
            other.resolve("notes.txt").writeText("mine")
            PageFile.folder(other, overwritten = false) shouldBe other
        }
    })
