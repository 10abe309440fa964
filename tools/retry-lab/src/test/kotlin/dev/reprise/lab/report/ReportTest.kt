package dev.reprise.lab.report

import dev.reprise.core.RetryPolicy
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain

class ReportTest :
    FunSpec({
        test("every experiment gives a section with a picture and a row for each policy") {
            val policies = mapOf("none" to RetryPolicy.NONE, "standard <2.1>" to RetryPolicy.STANDARD)
            val sections = Experiments(policies, seed = 1, size = 0.01).all.map { it.second() }
            for (section in sections) {
                section.rows.map { it.first() } shouldBe policies.keys.toList()
                section.rows.forEach { it.size shouldBe section.heading.size }
                section.plots.values.single() shouldContain "<svg"
            }
            val page = HtmlPage(sections, seed = 1, isPartial = false).html()
            page shouldContain "standard &lt;2.1&gt;"
            page shouldNotContain "partial:"
            page shouldNotContain "http-equiv"
            Regex("""(src|href)="https?:""").containsMatchIn(page) shouldBe false
        }

        test("the same seed gives the same picture, byte for byte") {
            fun picture() =
                Experiments(mapOf("p" to RetryPolicy.STANDARD), seed = 5, size = 0.01).all.last().second().plots
            picture() shouldBe picture()
        }

        test("a page whose program was stopped says so") {
            HtmlPage(emptyList(), seed = 1, isPartial = true).html() shouldContain "This report is partial"
        }
    })
