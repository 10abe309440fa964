package dev.reprise.presets.sdk

import dev.reprise.core.BodyNeed
import dev.reprise.core.FailureKind
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.core.SteadyQuotaSettings
import dev.reprise.core.Verdict
import dev.reprise.presets.Presets
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeUnique
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import java.net.http.HttpConnectTimeoutException

class PresetsTest :
    FunSpec({
        test("standard-2.1 is the default policy") { Presets.named("standard-2.1") shouldBe RetryPolicy.STANDARD }

        test("a service is found in any case, and one without overrides has the plain policy") {
            Presets.named("standard-2.1", "DynamoDB").maxAttempts shouldBe 4
            Presets.named("standard-2.1", "lambda") shouldBe RetryPolicy.STANDARD
        }

        test("a preset for DynamoDB has the quota and the send rate of its name, and no other") {
            fun parts(name: String) = Presets.named(name, "dynamodb").let { it.quota to it.sendRate }
            val exact = RetryPolicy.STANDARD.quota
            parts("standard-2.1") shouldBe (exact to null)
            parts("standard-steady") shouldBe (SteadyQuotaSettings.DEFAULT to null)
            parts("adaptive-2.1") shouldBe (exact to SendRateSettings.EXACT)
            parts("adaptive-steady") shouldBe (SteadyQuotaSettings.DEFAULT to SendRateSettings.STEADY)
            Presets.named("adaptive-2.1").sendRate shouldBe SendRateSettings.EXACT
        }

        test("an unknown name is refused with those that are known") {
            val refusal = shouldThrow<IllegalArgumentException> { Presets.named("standard") }

            for (preset in Presets.all) refusal.message shouldContain preset.name
            Presets.find("standard") shouldBe null
        }

        test("only today's presets make a refused long poll wait before it gives up") {
            Presets.all.filter { it.policy().longPollingDelay }.map { it.name } shouldBe listOf(
                "standard-2.1",
                "standard-steady",
                "adaptive-2.1",
                "adaptive-steady",
                "http",
                "any-exception",
                "none",
            )
        }

        test("a preset prints as its name and its summary") {
            for (preset in Presets.all) "$preset" shouldBe "${preset.name}: ${preset.summary}"
            Presets.find("go-v1").toString() shouldBe "go-v1: the AWS SDK for Go v1"
        }

        test("the SDK for Java v1 reads whole bodies of DynamoDB, for their checksums, and of no other service") {
            Presets.named("java-v1", "DynamoDB").classifier.bodyNeed shouldBe BodyNeed.ALL
            Presets.named("java-v1").classifier.bodyNeed shouldBe BodyNeed.NONE
        }

        test("where a connection that took too long is retried, it proves that nothing was sent, as in standard mode") {
            for (preset in Presets.all) {
                withClue(preset) {
                    val verdict = preset.policy().classifier.classifyFailure(HttpConnectTimeoutException("late"))
                    if (verdict is Verdict.Retry) {
                        (verdict.kind to verdict.unsent) shouldBe (FailureKind.TIMEOUT to true)
                    }
                }
            }
        }

        test("names are unique") { Presets.all.map { it.name }.shouldBeUnique() }
    })
