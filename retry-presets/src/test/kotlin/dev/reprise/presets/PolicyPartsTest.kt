package dev.reprise.presets

import dev.reprise.core.FailureKind
import dev.reprise.core.RatioQuotaSettings
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.core.SqlErrors
import dev.reprise.core.SteadyQuotaSettings
import dev.reprise.core.TokenBucketSettings
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.checkAll
import java.io.EOFException
import java.io.FileNotFoundException
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

private fun readBack(policy: RetryPolicy) = PolicyJson.read(PolicyJson.write(policy))

/** Each part of a policy as a document: written, and read back equal. */
class PolicyPartsTest :
    FunSpec({
        val bucket = TokenBucketSettings.STANDARD
        val steady = SteadyQuotaSettings.DEFAULT
        val ratio = RatioQuotaSettings.FINAGLE

        test("a document names the quota's type, and one without a type is the SDKs' token bucket as before") {
            fun quota(text: String) = PolicyJson.read("""{"quota": $text}""").quota

            quota("{}") shouldBe bucket
            quota("""{"cost": 20}""") shouldBe bucket.with { cost(20) }
            quota("""{"type": "bucket", "capacity": 100}""") shouldBe bucket.with { capacity(100) }
            quota("""{"type": "steady"}""") shouldBe steady
            quota("""{"type": "steady", "seconds": 2, "cost": 20}""") shouldBe
                steady.with {
                    seconds(2.0)
                    cost(20)
                }
            quota("""{"type": "ratio", "percent": 10}""") shouldBe ratio.with { percent(10) }
        }

        test("a document changes a preset's quota member by member, and replaces one of another type") {
            fun quota(preset: String, text: String) = PolicyJson.read("""{"preset": "$preset", "quota": $text}""").quota

            quota("standard-steady", """{"leastCapacity": 28}""") shouldBe steady.with { leastCapacity(28) }
            quota("standard-steady", """{"type": "ratio"}""") shouldBe ratio
            quota("standard-2.0", """{"type": "steady"}""") shouldBe steady
        }

        test("what a document does not say of the send rate is its growth's, also beside a preset of another one") {
            for (preset in listOf("", """"preset": "adaptive-2.1", """, """"preset": "adaptive-steady", """)) {
                fun rate(text: String) = PolicyJson.read("""{$preset"sendRate": $text}""").sendRate

                rate("""{"growth": "cubic"}""") shouldBe SendRateSettings.EXACT
                rate("""{"growth": "steady"}""") shouldBe SendRateSettings.STEADY
                rate("""{"growth": "steady", "quietSeconds": 60}""") shouldBe
                    SendRateSettings.STEADY.with { quietSeconds(60.0) }
                val own = if ("steady" in preset) SendRateSettings.STEADY else SendRateSettings.EXACT
                rate("""{"minFillRate": 5}""") shouldBe own.with { minFillRate(5.0) }
            }
        }

        test("a policy can name the errors of SQL") {
            val policy = RetryPolicy { classifyFirst(SqlErrors) }
            readBack(policy) shouldBe policy
            PolicyJson.read("""{"classifier": ["sql"]}""").classifier shouldBe SqlErrors
        }

        test("rules about exceptions are read back equal") {
            val policy = RetryPolicy {
                retryOn<IllegalStateException>(FailureKind.THROTTLING)
                rejectOn<FileNotFoundException>()
                rejectOn<EOFException>()
            }
            readBack(policy) shouldBe policy
        }

        test("attempt timeouts are read back equal, and a single one is written as one") {
            checkAll(200, Arb.list(Arb.int(1..100), 1..5)) { millis ->
                val policy = RetryPolicy { attemptTimeouts = millis.map { it.milliseconds } }
                readBack(policy) shouldBe policy
            }
            PolicyJson.write(RetryPolicy { attemptTimeout = 2.seconds }) shouldContain "\"attemptTimeout\": \"2s\""
            val grown = RetryPolicy { attemptTimeouts = listOf(1.seconds, Duration.INFINITE) }
            readBack(grown) shouldBe grown
        }

        test("only the two steady presets have the steady quota") {
            Presets.all.filter { it.policy().quota is SteadyQuotaSettings }.map { it.name } shouldBe
                listOf("standard-steady", "adaptive-steady")
        }

        test("every preset is meant, and none gives a warning") {
            for (preset in Presets.all) {
                for (service in preset.services + null) {
                    withClue("${preset.name} $service") {
                        preset.policy(service).warnings shouldBe emptyList()
                        preset.policy(service).toBuilder().build() shouldBe preset.policy(service)
                    }
                }
            }
        }

        test("the policies that have constants are the presets of their names, and read by them") {
            mapOf(
                "standard-2.1" to RetryPolicy.STANDARD,
                "standard-steady" to RetryPolicy.STANDARD_STEADY,
                "adaptive-steady" to RetryPolicy.ADAPTIVE_STEADY,
                "http" to RetryPolicy.HTTP,
                "any-exception" to RetryPolicy.ANY_EXCEPTION,
            ).forEach { (name, constant) ->
                withClue(name) {
                    Presets.named(name) shouldBe constant
                    PolicyJson.read("""{"preset": "$name"}""") shouldBe constant
                    readBack(constant) shouldBe constant
                }
            }
        }
    })
