package dev.reprise.presets.json

import dev.reprise.core.Hedge
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Verdict
import dev.reprise.presets.PolicyJson
import dev.reprise.presets.Presets
import dev.reprise.presets.document.PolicyFormatException
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldEndWith
import io.kotest.matchers.string.shouldNotContain
import io.kotest.matchers.string.shouldStartWith
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.property.Arb
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import java.io.FileNotFoundException
import java.io.IOException

/** What YAML and property files give: names in kebab case, and texts for numbers and booleans. */
private fun loose(element: JsonElement): JsonElement = when (element) {
    is JsonNull -> element
    is JsonPrimitive -> JsonPrimitive(element.content)
    is JsonArray -> JsonArray(element.map(::loose))
    is JsonObject -> JsonObject(element.entries.associate { (name, value) -> kebab(name) to loose(value) })
}

private fun kebab(name: String) = name.replace(Regex("[A-Z]")) { "-" + it.value.lowercase() }

private val MEMBERS = listOf(
    "preset", "maxAttempts", "backoff", "classifier", "retryOn", "rejectOn", "serverDelays", "quota", "sendRate",
    "onNoPermit", "deadline", "attemptTimeout", "onBadResult", "longPollingDelay", "trace",
)

class LooseDocumentsTest :
    FunSpec({
        fun refusal(document: String) = shouldThrow<PolicyFormatException> { PolicyJson.read(document) }

        test("a document of texts with names in kebab case is read as the one that was written") {
            checkAll(300, anyPolicy) { policy ->
                val document = Json.parseToJsonElement(PolicyJson.write(policy))
                PolicyJson.read(loose(document)) shouldBe policy
            }
        }

        test("the word off is also the false that YAML makes of it, but no other word is") {
            fun rate(hints: String) =
                PolicyJson.read("""{"sendRate": {"growth": "steady", "hints": $hints}}""").sendRate
            rate("false") shouldBe rate("\"off\"")
            for (wrong in listOf("true", "0", "null")) {
                shouldThrow<PolicyFormatException> { rate(wrong) }.path shouldBe "$.sendRate.hints"
            }
            refusal("""{"onBadResult": false}""").path shouldBe "$.onBadResult"
        }

        test("a preset is overridden by names in kebab case too, and a name that stands twice is refused") {
            PolicyJson.read(
                """{"preset": "http", "max-attempts": "4", "backoff": {"cap": "5s"}, "on-bad-result": "THROW"}""",
            ) shouldBe
                PolicyJson.read(
                    """{"preset": "http", "maxAttempts": 4, "backoff": {"cap": "5s"}, "onBadResult": "throw"}""",
                )
            val twice = refusal("""{"quota": {"throttling-cost": 1, "throttlingCost": 2}}""")
            twice.path shouldBe "$.quota.throttlingCost"
            twice.rule shouldBe "must stand in its object only once"
        }

        test("one text with commas is read as the list that it stands for, of durations and statuses too") {
            fun same(text: String, list: String) = PolicyJson.read(text) shouldBe PolicyJson.read(list)
            same(
                """{"attempt-timeout": "500ms, 1s,unlimited"}""",
                """{"attemptTimeout": ["500ms", "1s", "unlimited"]}""",
            )
            fun rule(statuses: String) =
                """{"classifier": [{"table": [{"kind": "transient", "statuses": $statuses}]}]}"""
            same(rule(""""429, 500-504""""), rule("""[429, "500-504"]"""))
            fun delay(statuses: String) =
                """{"serverDelays": [{"header": "retry-after", "atLeast": "1m", "statuses": $statuses}]}"""
            same(delay(""""503""""), delay("[503]"))
            refusal("""{"attemptTimeout": "500ms, 1"}""").path shouldBe "$.attemptTimeout"
            refusal("""{"attemptTimeout": 5}""").rule shouldStartWith "must be a duration"
        }

        test("none takes away what null takes away") {
            val whole = PolicyJson.toElement(Presets.named("adaptive-2.1").with { hedge = Hedge() })
            for (name in listOf("quota", "sendRate", "hedge")) {
                fun with(value: JsonElement) = PolicyJson.read(JsonObject(whole + (name to value)))
                withClue(name) { with(JsonPrimitive("none")) shouldBe with(JsonNull) }
            }
        }

        test("retryOn and rejectOn name exceptions beside the preset's classifier, as the builder does") {
            val read = PolicyJson.read(
                """{"preset": "http", "retry-on": "java.lang.IllegalStateException, org.acme.NotHereException",
                    "reject-on": ["java.io.FileNotFoundException"]}""",
            )
            val classify = read.classifier::classifyFailure
            classify(IllegalStateException()).shouldNotBeNull().shouldBeInstanceOf<Verdict.Retry>()
            classify(IOException()).shouldBeInstanceOf<Verdict.Retry>()
            classify(FileNotFoundException()) shouldBe Verdict.Reject
            PolicyJson.read(PolicyJson.write(read)) shouldBe read
            PolicyJson.read(
                """{"retryOn": ["java.lang.IllegalStateException"], "rejectOn": "java.io.IOException"}""",
            ) shouldBe
                RetryPolicy {
                    retryOn<IllegalStateException>()
                    rejectOn<IOException>()
                }
            for (wrong in listOf("IOException", "java.io.", "", "java..IOException", "java.io.IOException,", "a b.C")) {
                refusal("""{"retryOn": "$wrong"}""").rule shouldContain "names of classes with their packages"
                val rule = """{"kind": "reject", "types": "$wrong"}"""
                refusal("""{"classifier": [{"exceptions": [$rule]}]}""").rule shouldContain
                    "names of classes with their packages"
            }
            refusal("""{"rejectOn": []}""").path shouldBe "$.rejectOn"
        }

        test("one wrong letter in a name is met with what was meant") {
            checkAll(Arb.element(MEMBERS), Arb.int(0..100)) { name, at ->
                val slip = name.replaceRange(at % name.length, at % name.length + 1, "z")
                refusal("""{"$slip": 1}""").rule shouldStartWith
                    "unknown member, did you mean \"$name\"? must be one of "
            }
            checkAll(Arb.element(Presets.all.map { it.name }), Arb.int(0..100)) { name, at ->
                val slip = name.replaceRange(at % name.length, at % name.length + 1, "")
                if (Presets.find(slip) != null) return@checkAll
                refusal("""{"preset": "$slip"}""").rule shouldStartWith "did you mean \""
                shouldThrow<IllegalArgumentException> { Presets.named(slip) }.message shouldStartWith
                    "no preset has this name, did you mean \""
            }
            refusal("""{"on-bad-result": "trow"}""").rule shouldBe
                "did you mean \"throw\"? must be one of \"return\", \"throw\""
            refusal("""{"password": 1}""").rule shouldNotContain "did you mean"
            refusal("""{"preset": "http", "servce": "s3"}""").rule shouldStartWith
                "unknown member, did you mean \"service\"? must be one of preset, service, "
            refusal("""{"preset": "http", "presett": "x"}""").message!! shouldEndWith "longPollingDelay, trace"
        }
    })
