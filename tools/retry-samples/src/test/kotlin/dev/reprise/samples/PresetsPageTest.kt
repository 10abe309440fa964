package dev.reprise.samples

import dev.reprise.core.classify.ClockSkew
import dev.reprise.core.classify.FirstOf
import dev.reprise.core.preset.Presets
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.shouldBe

/** The snippets of `docs/presets.md`. */
class PresetsPageTest :
    FunSpec({
        test("a preset is a start") {
            val policy = Presets.named("java-v2-legacy", service = "dynamodb")
            val faster = policy.with { maxAttempts = 3 }

            policy.maxAttempts shouldBe 9
            faster.maxAttempts shouldBe 3
        }

        test("the hook for clock skew stands first") {
            val clock = ClockSkew(System::currentTimeMillis)
            val signing = Presets.named("java-v1").with { classifyFirst(clock) }
            val signedAt = clock.now() // in each attempt: the server's time, as soon as a failure has told it

            (signing.classifier as FirstOf).parts.first() shouldBe clock
            signedAt shouldBeGreaterThan 0
        }
    })
