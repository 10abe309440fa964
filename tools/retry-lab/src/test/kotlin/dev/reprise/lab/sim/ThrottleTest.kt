package dev.reprise.lab.sim

import dev.reprise.core.RetryPolicy
import dev.reprise.core.preset.Presets
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeGreaterThan
import io.kotest.matchers.comparables.shouldBeLessThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain

class ThrottleTest :
    FunSpec({
        val scenario = ThrottleScenario(clients = 5, rates = listOf(0.0 to 50.0), seconds = 60.0, warmUp = 20.0)

        test("no server admits more than its rate") {
            val result = simulateThrottle("p", RetryPolicy.STANDARD, scenario, seed = 1)
            result.throughput shouldBeLessThan 50.5
        }

        test("adaptive mode is throttled less than standard mode") {
            val standard = simulateThrottle("standard", RetryPolicy.STANDARD, scenario, seed = 1)
            val adaptive = simulateThrottle("adaptive", Presets.named("adaptive-2.1"), scenario, seed = 1)
            standard.throttledShare shouldBeGreaterThan adaptive.throttledShare
        }

        test("the same seed gives the same history") {
            fun history() = simulateThrottle("p", Presets.named("adaptive-2.1"), scenario, seed = 4).admitted.toList()
            history() shouldBe history()
        }

        test("rates must go forward in time") {
            shouldThrow<IllegalArgumentException> { ThrottleScenario(rates = listOf(0.0 to 1.0, 0.0 to 2.0)) }
                .message shouldContain "rates must begin at 0 and go forward in time"
        }
    })
