package dev.reprise.samples

import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import dev.reprise.presets.PolicyJson
import dev.reprise.presets.Presets
import dev.reprise.presets.clock.ClockSkew
import dev.reprise.presets.clock.ServerClock
import dev.reprise.presets.config.fromEnvironment
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldStartWith
import java.time.Clock
import java.time.Instant

/** The snippets of `docs/presets.md` and `docs/policy-json.md`. */
class PresetsPageTest :
    FunSpec({
        test("a preset is a start") {
            val policy = Presets.named("java-v2-legacy", service = "dynamodb")
            val faster = policy.with { maxAttempts = 3 }

            policy.maxAttempts shouldBe 9
            faster.maxAttempts shouldBe 3
        }

        test("a document makes a policy") {
            val policy = PolicyJson.read("""{"preset": "standard-2.1"}""")

            policy shouldBe RetryPolicy.STANDARD
        }

        test("the AWS SDKs' settings make a policy") {
            val configured = RetryPolicy.fromEnvironment(service = "dynamodb")

            configured.maxAttempts shouldBeGreaterThan 0
        }

        test("the hook for clock skew stands first") {
            val clock = ServerClock(Clock.systemUTC())
            val signing = Presets.named("java-v1").with { classifyFirst(ClockSkew.STANDARD) }
            val retrier = Retrier(signing) { listener(clock) }
            val signedAt = clock.instant() // in each attempt: the server's time, as soon as a response has told it

            retrier.policy.classifier.toString() shouldStartWith "clock skew"
            signedAt shouldBeGreaterThan Instant.EPOCH
        }
    })
