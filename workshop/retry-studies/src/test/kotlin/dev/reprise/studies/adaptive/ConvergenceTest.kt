package dev.reprise.studies.adaptive

import dev.reprise.presets.Presets
import dev.reprise.virtualtime.RateCondition
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.plusOrMinus
import io.kotest.matchers.doubles.shouldBeGreaterThan
import io.kotest.matchers.doubles.shouldBeLessThan
import io.kotest.matchers.shouldBe

/** The cheap cells of the table; the study `converge` has all of them. */
class ConvergenceTest :
    FunSpec({
        val exact = Presets.named("adaptive-2.1")
        val steady = Presets.named("adaptive-steady")

        fun of(rate: Int, callers: Int = 10) = RateCondition("$rate/s", callers) { rate.toDouble() }

        test("the exact algorithm loses half of a slow server, like the SDKs") {
            val run = Convergence.of(of(1), exact, seed = 1)
            run.success shouldBe (0.41 plusOrMinus 0.03)
            run.throttled shouldBe (0.5 plusOrMinus 0.03)
        }

        test("the exact algorithm gets what the SDKs get from ten a second, and serves all callers") {
            val run = Convergence.of(of(10), exact, seed = 1)
            run.success shouldBe (0.88 plusOrMinus 0.03)
            run.throttled shouldBe (0.04 plusOrMinus 0.03)
            run.worstCaller shouldBeGreaterThan 0.9
        }

        test("the steady algorithm gets nine tenths of a slow server, with few throttles") {
            val run = Convergence.of(of(1), steady, seed = 1)
            run.success shouldBeGreaterThan 0.88
            run.throttled shouldBeLessThan 0.07
        }

        test("the steady algorithm gets 0.94 from ten a second") {
            Convergence.of(of(10), steady, seed = 1).success shouldBeGreaterThan 0.94
        }

        test("callers that together ask for less than is admitted neither wait nor are throttled") {
            val run = Convergence.of(of(100, callers = 1), steady, seed = 1)
            run.waits shouldBe 0
            run.throttled shouldBe 0.0
            run.success shouldBe (1.0 plusOrMinus 0.01)
        }

        test("the same seed gives the same history") {
            val runs = List(2) { Convergence.of(of(10), steady, seed = 7).samples.map { it.permitted } }
            runs[0] shouldBe runs[1]
        }
    })
