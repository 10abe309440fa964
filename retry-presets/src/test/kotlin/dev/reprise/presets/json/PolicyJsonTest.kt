package dev.reprise.presets.json

import dev.reprise.build.logged
import dev.reprise.core.Backoff
import dev.reprise.core.NoPermit
import dev.reprise.core.RetryPolicy
import dev.reprise.core.TokenBucketSettings
import dev.reprise.core.Verdict
import dev.reprise.core.shell.http.Crc32Check
import dev.reprise.core.shell.values.isTimed
import dev.reprise.core.shell.values.members
import dev.reprise.core.shell.values.parts
import dev.reprise.core.shell.values.rejectOn
import dev.reprise.presets.FixedBackoff
import dev.reprise.presets.PolicyJson
import dev.reprise.presets.Presets
import dev.reprise.presets.document.PolicyFormatException
import dev.reprise.presets.outside.Work
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeLessThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.property.Arb
import io.kotest.property.arbitrary.string
import io.kotest.property.checkAll
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.putJsonObject
import java.nio.file.Files
import java.nio.file.Path
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.nanoseconds
import kotlin.time.Duration.Companion.seconds

class PolicyJsonTest :
    FunSpec({
        fun refusal(document: String) = shouldThrow<PolicyFormatException> { PolicyJson.read(document) }

        test("what is written is read back equal") {
            checkAll(anyPolicy) { policy ->
                val back = PolicyJson.read(PolicyJson.write(policy))
                back shouldBe policy
                back.hashCode() shouldBe policy.hashCode()
            }
        }

        test("every preset is written and read back equal") {
            for (preset in Presets.all) {
                for (service in preset.services + null) {
                    val policy = preset.policy(service)
                    PolicyJson.read(PolicyJson.write(policy)) shouldBe policy
                }
            }
        }

        test("an empty document is the default policy") { PolicyJson.read("{}") shouldBe RetryPolicy.STANDARD }

        test("a preset is overridden member by member") {
            val policy =
                PolicyJson.read(
                    """{"preset": "standard-2.1", "service": "dynamodb", "maxAttempts": 5, "deadline": "30s",
                       "backoff": {"cap": "PT1.5S"}, "quota": {"cost": 20}, "onNoPermit": {"waitAtMost": "2s"}}""",
                )

            policy shouldBe
                RetryPolicy {
                    maxAttempts = 5
                    deadline = 30.seconds
                    backoff = Backoff.exponential(25.milliseconds, 1.seconds, cap = 1.5.seconds)
                    classifyFirst(Crc32Check())
                    quota = TokenBucketSettings { cost(20) }
                    onNoPermit = NoPermit.waitAtMost(2.seconds)
                }
        }

        test("a backoff of another type replaces the preset's whole") {
            PolicyJson.read(
                """{"preset": "standard-2.1", "backoff": {"type": "fixed", "delay": "1s"}}""",
            ).backoff shouldBe FixedBackoff(1_000_000_000)
        }

        test("limits and parts can be taken away") {
            val document = """{"preset": "adaptive-2.1", "maxAttempts": "unlimited", "quota": null, "sendRate": null,
                "deadline": null, "attemptTimeout": "unlimited", "backoff": {"cap": "unlimited"}, "classifier": []}"""

            val policy = PolicyJson.read(document)

            policy.maxAttempts shouldBe Int.MAX_VALUE
            policy.quota shouldBe null
            policy.sendRate shouldBe null
            policy.isTimed shouldBe false
            policy.backoff.members()!!["cap"] shouldBe Long.MAX_VALUE
        }

        test("durations have units down to ns and saturate") {
            fun delay(text: String) =
                PolicyJson.read("""{"backoff": {"type": "fixed", "delay": "$text"}}""").backoff.members()!!["delay"]

            delay("7ns") shouldBe 7L
            delay("1.5us") shouldBe 1_500L
            delay("0.25ms") shouldBe 250_000L
            delay("2m") shouldBe 120_000_000_000L
            delay("1h") shouldBe 3_600_000_000_000L
            delay("1d") shouldBe 86_400_000_000_000L
            delay("PT0.000001S") shouldBe 1_000L
            delay("99999999999d") shouldBe Long.MAX_VALUE
            delay("PT2562047788015215H") shouldBe Long.MAX_VALUE
        }

        test("a refusal says where, what rule and which value") {
            val refusal = refusal("""{"preset": "standard-2.1", "backoff": {"cap": "20"}}""")

            refusal.path shouldBe "$.backoff.cap"
            refusal.rule shouldContain "must be a duration"
            refusal.value shouldBe "\"20\""
            refusal.message shouldBe "$.backoff.cap: ${refusal.rule}: \"20\""
        }

        test("unknown members, wrong types and broken rules are refused with their path") {
            val refused =
                mapOf(
                    """[]""" to "$",
                    """{"maxAtempts": 3}""" to "$.maxAtempts",
                    """{"maxAttempts": "three"}""" to "$.maxAttempts",
                    """{"maxAttempts": 3.5}""" to "$.maxAttempts",
                    """{"maxAttempts": 0}""" to "$.maxAttempts",
                    """{"maxAttempts": 99999999999}""" to "$.maxAttempts",
                    """{"preset": "standard"}""" to "$.preset",
                    """{"preset": 21}""" to "$.preset",
                    """{"service": "dynamodb"}""" to "$",
                    """{"backoff": "full"}""" to "$.backoff",
                    """{"backoff": {"base": "1s"}}""" to "$.backoff",
                    """{"backoff": {"type": "exponential", "base": "-1s"}}""" to "$.backoff.base",
                    """{"backoff": {"type": "exponential", "base": "PT-1S"}}""" to "$.backoff.base",
                    """{"backoff": {"type": "exponential", "base": "1s", "factor": -2}}""" to "$.backoff",
                    """{"backoff": {"type": "exponential", "base": "1s", "factor": NaN}}""" to "$.backoff.factor",
                    """{"backoff": {"type": "exponential", "base": "1s", "jitter": "some"}}""" to "$.backoff.jitter",
                    """{"backoff": {"type": "fixed", "delay": "1s", "cap": "1s"}}""" to "$.backoff.cap",
                    """{"classifier": ["self", "nobody"]}""" to "$.classifier[1]",
                    """{"classifier": [{"table": [{"kind": "transient"}]}]}""" to "$.classifier[0].table[0]",
                    """{"classifier": [{"table": [{"kind": "none", "statuses": [500]}]}]}""" to
                        "$.classifier[0].table[0].kind",
                    """{"classifier": [{"table": [{"kind": "reject", "statuses": ["9-5"]}]}]}""" to
                        "$.classifier[0].table[0].statuses[0]",
                    """{"classifier": [{"table": [{"kind": "reject", "statuses": [5]}]}]}""" to
                        "$.classifier[0].table[0].statuses[0]",
                    """{"serverDelays": [{"header": "retry-after"}]}""" to "$.serverDelays[0]",
                    """{"serverDelays": [{"header": "retry-after", "clamp": "1s", "add": "1s"}]}""" to
                        "$.serverDelays[0]",
                    """{"serverDelays": [{"header": "retry-after", "clamp": "1s", "beyond": "wait"}]}""" to
                        "$.serverDelays[0].beyond",
                    """{"quota": {"capacity": 0}}""" to "$.quota",
                    """{"sendRate": {"beta": 2}}""" to "$.sendRate",
                    """{"onNoPermit": "never"}""" to "$.onNoPermit",
                    """{"deadline": "0s"}""" to "$.deadline",
                    """{"deadline": 30}""" to "$.deadline",
                    """{"onBadResult": "drop"}""" to "$.onBadResult",
                    """{"trace": "yes"}""" to "$.trace",
                    """{"trace": """ to "$",
                )
            for ((document, path) in refused) refusal(document).path shouldBe path
        }

        test("functions of the user's own are refused when written") {
            val ownBackoff = RetryPolicy { backoff = Backoff.custom { _ -> 1.nanoseconds } }
            val ownClassifier = RetryPolicy { onResult { if (it == null) Verdict.TRANSIENT else null } }

            shouldThrow<PolicyFormatException> { PolicyJson.write(ownBackoff) }.path shouldBe "$.backoff"
            shouldThrow<PolicyFormatException> { PolicyJson.write(ownClassifier) }.path shouldBe "$.classifier[0]"
        }

        test("a class without a package is refused when written, as it is when read") {
            val policy = RetryPolicy { rejectOn("NotOfAnyPackage") }

            shouldThrow<PolicyFormatException> { PolicyJson.write(policy) }.path shouldBe
                "$.classifier[0].exceptions[0].types"
        }

        test("any text is read or refused, and never fails otherwise") {
            checkAll(Arb.string(0..60)) { text -> runCatching { PolicyJson.read(text) }.failureIsDocumented() }
            checkAll(anyPolicy, Arb.string(1..5)) { policy, text ->
                val document = PolicyJson.write(policy)
                val at = (document.length * (text.hashCode().toUInt().toDouble() / UInt.MAX_VALUE.toDouble())).toInt()
                val broken = document.replaceRange(at, minOf(document.length, at + 3), text)
                runCatching { PolicyJson.read(broken) }.failureIsDocumented()
            }
        }

        test("the documents of the page about them are read") {
            val page = Files.readString(Path.of("../docs/policy-json.md"))
            val blocks = Regex("```json\n(.*?)```", RegexOption.DOT_MATCHES_ALL).findAll(page).map {
                it.groupValues[1]
            }.toList()
            blocks.size shouldBe 3
            PolicyJson.read(blocks[0]).maxAttempts shouldBe 5
            PolicyJson.read(blocks[1]).maxAttempts shouldBe 4
            PolicyJson.read("""{"classifier": ${blocks[2]}}""").classifier.parts().size shouldBe 6
        }

        test("a megabyte of brackets is refused, quickly") {
            Work.of {
                refusal("[".repeat(1_000_000)).rule shouldContain "nested"
                refusal("""{"a":""".repeat(200_000)).rule shouldContain "nested"
            }.cpu shouldBeLessThan 5.seconds
        }

        test("a rule for a class that is not there, or for no exception, is told once, and others never") {
            fun linesOf(document: String) = logged("dev.reprise") { repeat(2) { PolicyJson.read(document) } }
                .map { "${it.level} ${it.message}" }
            linesOf(
                """{"retryOn": ["com.acme.Gone", "java.io.IOException"], "reject-on": "java.lang.String"}""",
            ) shouldBe listOf(
                "WARNING $.retryOn: no such class on this class path: com.acme.Gone",
                "WARNING $.rejectOn: no exception: java.lang.String",
            )
            linesOf("""{"retryOn": ["java.io.IOException"]}""") shouldBe emptyList()
            // At a path that no other test has: a warning is told once in a process.
            logged("dev.reprise") {
                repeat(2) { PolicyJson.read(buildJsonObject { putJsonObject("hedge") {} }, "young") }
            }.map { it.message } shouldBe listOf("young.hedge: experimental, it may change in a minor version")
        }
    })

private fun Result<*>.failureIsDocumented() {
    exceptionOrNull()?.shouldBeInstanceOf<PolicyFormatException>()
}
