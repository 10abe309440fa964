package dev.reprise.presets

import dev.reprise.core.SendRateSettings
import dev.reprise.core.SteadyQuotaSettings
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe

/** `-0.0` and `0.0` do the same, and are equal only as numbers. */
class ZeroTest :
    FunSpec({
        test("no number of any settings tells -0.0 from 0.0: both are refused, or are one value") {
            val made = listOf<(Double) -> Any>(
                { SendRateSettings { beta(it) } },
                { SendRateSettings { scale(it) } },
                { SendRateSettings { minFillRate(it) } },
                { SendRateSettings { minCapacity(it) } },
                { SendRateSettings { quietSeconds(it) } },
                { SteadyQuotaSettings { seconds(it) } },
                { SteadyQuotaSettings { operationShare(it) } },
            )
            for ((number, make) in made.withIndex()) {
                withClue("number $number") {
                    val zero = runCatching { make(0.0) }.getOrNull()
                    val other = runCatching { make(-0.0) }.getOrNull()
                    other shouldBe zero
                    other.toString() shouldBe zero.toString()
                    if (other != null) roundTrip(other) shouldBe zero
                }
            }
        }
    })
