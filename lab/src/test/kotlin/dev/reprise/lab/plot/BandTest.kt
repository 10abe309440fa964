package dev.reprise.lab.plot

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain

class BandTest :
    FunSpec({
        test("several runs are drawn as their median, in a band from the least to the most") {
            val line = Line.over("mine", listOf(1.0, 5.0, 3.0).map { listOf(0.0 to it, 1.0 to 2 * it) })
            line.points shouldBe listOf(0.0 to 3.0, 1.0 to 6.0)
            line.band.map { Triple(it.at, it.least, it.most) } shouldBe
                listOf(Triple(0.0, 1.0, 5.0), Triple(1.0, 2.0, 10.0))
        }

        test("a moment without a value is a gap in the line, and has no band") {
            val line = Line.over(
                "mine",
                listOf(listOf(0.0 to 1.0, 1.0 to Double.NaN), listOf(0.0 to 3.0, 1.0 to Double.NaN)),
            )
            line.points shouldBe listOf(0.0 to 3.0, 1.0 to Double.NaN)
            line.band.map { it.at } shouldBe listOf(0.0)
            fun strokes(vararg lost: Int) = LinePlot(
                "gap",
                "Gap",
                "second",
                "ms",
                listOf(Line("mine", List(40) { it.toDouble() to if (it in lost) Double.NaN else 5.0 + it % 3 })),
            ).svg().split("<path ").drop(1).count { "stroke-width" in it && "fill=\"none\"" in it }
            strokes(20, 21) - strokes() shouldBe 1
            strokes(10, 20, 21, 30) - strokes() shouldBe 3
        }

        test("one run has no band") {
            val line = Line.over("mine", listOf(listOf(0.0 to 1.0)))
            line.points shouldBe listOf(0.0 to 1.0)
            line.band.shouldBeEmpty()
        }

        test("a picture shows the band of several runs and no band of one") {
            fun svg(vararg heights: Double) = LinePlot(
                "spread",
                "Spread",
                "second",
                "attempts",
                listOf(Line.over("mine", heights.map { height -> List(40) { it.toDouble() to height + it } })),
            ).svg()
            svg(1.0, 5.0, 3.0) shouldContain "fill-opacity=\"0.2"
            svg(1.0) shouldNotContain "fill-opacity=\"0.2"
        }
    })
