package dev.reprise.presets.sdk

import dev.reprise.core.RetryPolicy
import dev.reprise.presets.Presets
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeUnique
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain

class PresetsTest :
    FunSpec({
        test("standard-2.1 is the default policy") {
            Presets.named("standard-2.1") shouldBe RetryPolicy.STANDARD
        }

        test("a service is found in any case, and one without overrides has the plain policy") {
            Presets.named("standard-2.1", "DynamoDB").maxAttempts shouldBe 4
            Presets.named("standard-2.1", "lambda") shouldBe RetryPolicy.STANDARD
        }

        test("an unknown name is refused with those that are known") {
            val refusal = shouldThrow<IllegalArgumentException> { Presets.named("standard") }

            for (preset in Presets.all) refusal.message shouldContain preset.name
            Presets.find("standard") shouldBe null
        }

        test("names are unique") {
            Presets.all.map { it.name }.shouldBeUnique()
        }
    })
