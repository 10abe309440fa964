package dev.reprise.core.value

import dev.reprise.core.CallOptions
import dev.reprise.core.QuotaSettings
import dev.reprise.core.RatioQuotaSettings
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.core.SteadyQuotaSettings
import dev.reprise.core.TokenBucketSettings
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe

class SettingsEqualityTest :
    FunSpec({
        for (type in SETTINGS) {
            test("${type.name}: equal if all members are, and in no other case; hash and text follow") {
                type.holdsItsWord()
            }
        }

        for (type in SETTINGS.filter { it.first() is QuotaSettings }) {
            test("${type.name}: values that differ in one member print differently") {
                for ((clue, other) in type.neighbours()) withClue(clue) { "$other" shouldNotBe "${type.first()}" }
            }
        }

        test("a builder that starts from settings makes them again") {
            for (type in SETTINGS) {
                for ((clue, value) in type.neighbours() + ("first" to type.first())) {
                    withClue(clue) {
                        when (value) {
                            is TokenBucketSettings -> value.with {} shouldBe value
                            is SteadyQuotaSettings -> value.with {} shouldBe value
                            is RatioQuotaSettings -> value.with {} shouldBe value
                            is SendRateSettings -> value.toBuilder().build() shouldBe value
                            is CallOptions -> value.toBuilder().build() shouldBe value
                            is RetryPolicy -> value.toBuilder().build() shouldBe value
                            else -> Unit
                        }
                    }
                }
            }
        }
    })
