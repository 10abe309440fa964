package dev.reprise.core

import dev.reprise.build.Vectors
import dev.reprise.core.shell.rate.Meter
import dev.reprise.core.shell.rate.number
import dev.reprise.core.shell.rate.secondsOf
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.serialization.json.jsonObject
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds

class SendRateSettingsTest :
    FunSpec({
        test("the exact settings are the constants of the vectors") {
            val constants = Vectors.read("adaptive-e2e.json").getValue("constants").jsonObject
            with(SendRateSettings.EXACT) {
                growth shouldBe GrowthRule.CUBIC
                beta shouldBe constants.number("beta")
                scale shouldBe constants.number("scale_constant")
                Meter.SMOOTHING shouldBe constants.number("smoothing")
                minFillRate shouldBe constants.number("min_fill_rate")
                minCapacity shouldBe constants.number("min_capacity")
                secondsOf(Meter.BUCKET_NANOS) shouldBe constants.number("bucket_seconds")
                Meter.MOST_OVER_MEASURED shouldBe constants.number("max_rate_over_measured")
            }
        }

        test("what is out of range is refused with name, rule and value") {
            val refusals = mapOf(
                { SendRateSettings { beta = 1.0 } } to "beta must be above 0 and below 1: 1.0",
                { SendRateSettings { beta = Double.NaN } } to "beta must be above 0 and below 1: NaN",
                { SendRateSettings { scale = 0.0 } } to "scale must be above 0 and finite: 0.0",
                { SendRateSettings.builder().minFillRate(-1.0).build() } to
                    "minFillRate must be above 0 and finite: -1.0",
                { SendRateSettings { minCapacity = 0.5 } } to "minCapacity must be at least 1 and finite: 0.5",
                { SendRateSettings { quietSeconds = 1e6 } } to
                    "quietSeconds must be above 0 and at most 86400.0: 1000000.0",
            )
            for ((build, message) in refusals) {
                shouldThrow<IllegalArgumentException> { build() }.message shouldBe message
            }
        }

        test("waiting at most so long is the same from Kotlin's and from Java's durations") {
            NoPermit.waitAtMost(5.milliseconds) shouldBe NoPermit.waitAtMost(java.time.Duration.ofMillis(5))
            NoPermit.waitAtMost(Duration.INFINITE) shouldBe
                NoPermit.waitAtMost(java.time.Duration.ofSeconds(Long.MAX_VALUE))
            shouldThrow<IllegalArgumentException> { NoPermit.waitAtMost((-1).milliseconds) }
        }
    })
