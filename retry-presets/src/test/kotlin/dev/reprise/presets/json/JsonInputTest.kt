package dev.reprise.presets.json

import dev.reprise.core.RetryPolicy
import dev.reprise.presets.PolicyJson
import dev.reprise.presets.document.PolicyFormatException
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeLessThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject

class JsonInputTest :
    FunSpec({
        fun refusal(document: String) = shouldThrow<PolicyFormatException> { PolicyJson.read(document) }

        test("a member that stands twice is refused with its path, however its name is written") {
            refusal("""{"maxAttempts": 3, "maxAttempts": 4}""").run {
                path shouldBe "$.maxAttempts"
                rule shouldBe "must stand in its object only once"
            }
            refusal("""{"quota": {"cost": 1, "cos\u0074": 2}}""").path shouldBe "$.quota.cost"
            refusal(
                """{"classifier": ["self", {"table": [{"kind": 1}, {"kind": 2, "x": [], "kind": 3}]}]}""",
            ).path shouldBe "$.classifier[1].table[1].kind"
            PolicyJson.read(
                """{"quota": {"cost": 1}, "deadline": "1s", "sendRate": {"scale": 1}}""",
            ).quota!!.cost shouldBe 1
        }

        test("numbers and words that JSON does not have are refused with path and value") {
            for (number in listOf("03", "-01", "+1", "1.", ".5", "1e", "0x1", "1_0", "--1", "00")) {
                withClue(number) { refusal("""{"quota": {"cost": $number}}""").path shouldBe "$.quota.cost" }
            }
            refusal("""{"maxAttempts": 03}""").message shouldBe "$.maxAttempts: must be a JSON value: 03"
            for (word in listOf("True", "nul", "NaN", "Infinity", "yes", "'a'")) {
                withClue(word) { refusal("""{"trace": $word}""").path shouldBe "$.trace" }
            }
            refusal("{maxAttempts: 3}").message shouldBe
                "$: must be a JSON value, names and texts in double quotation marks: 11 characters"
            refusal("""{"onBadResult": throw}""").message shouldBe
                "$.onBadResult: must be a JSON value, names and texts in double quotation marks: 5 characters"
            PolicyJson.read("""{"quota": {"cost": 0}, "sendRate": {"scale": 10.05e-1}}""").sendRate!!.scale shouldBe
                1.005
        }

        test("JSON that is nested too deep is refused, as a text and as a value") {
            fun nested(depth: Int): JsonElement {
                var element: JsonElement = JsonNull
                repeat(depth) {
                    element = if (it % 2 == 0) JsonArray(listOf(element)) else JsonObject(mapOf("a" to element))
                }
                return element
            }
            for (depth in listOf(101, 100_000)) {
                val ofValue = shouldThrow<PolicyFormatException> { PolicyJson.read(nested(depth), "$.policy") }
                ofValue.path shouldBe "$.policy"
                ofValue.rule shouldBe "must not be nested deeper than 100"
                refusal("[".repeat(depth)).rule shouldBe "must not be nested deeper than 100"
            }
            shouldThrow<PolicyFormatException> { PolicyJson.read(nested(100)) }.rule shouldContain "unknown member"
            refusal("[".repeat(100) + "]".repeat(100)).rule shouldBe "must be an object"
        }

        test("a value whose parts stand in many places at once is refused before it is unfolded") {
            var element: JsonElement = JsonNull
            repeat(90) { element = JsonArray(listOf(element, element)) }
            shouldThrow<PolicyFormatException> { PolicyJson.read(element) }.rule shouldContain "1000000 values"
        }

        test("a text of more than 1 MiB is refused") {
            PolicyJson.read("{}" + " ".repeat(1024 * 1024 - 2)) shouldBe RetryPolicy.STANDARD
            refusal("{}" + " ".repeat(1024 * 1024 - 1)).rule shouldBe "must not be longer than 1048576 characters"
        }

        test("what is no policy is not shown, and what is shown is one short line") {
            val key = "wJalrXUtnFEMI"
            for (document in listOf(
                key,
                "\"$key\"",
                "\"$key",
                "aws_secret_access_key = $key",
                "[$key]",
                "[\"$key\"]",
                "{$key: 1}",
                "{\"a\": $key}",
                "{\"aws_secret_access_key\": \"$key\"}",
                "{\"a\": 1} $key",
                "{\"a\" \"$key\"}",
                "{\"backoff\": \"$key\"}",
                "{\"x\": {\"$key\": \"$key\"}}",
                "[".repeat(200) + key,
                key.repeat(100_000),
            )) {
                withClue(document.take(40)) { refusal(document).stackTraceToString() shouldNotContain key }
            }
            val name = "a\\n\\u001bbbb"
            val ofName = refusal("""{"quota": {"$name": "\u2028"}}""")
            ofName.path shouldContain "$.quota.a  bbb"
            val ofLongName = refusal("""{"${"a".repeat(40)}": 1, "${"a".repeat(39)}": 2}""")
            ofLongName.path shouldBe "$.(40 characters)"
            for (failure in listOf(
                ofName,
                ofLongName,
                refusal("{\n\n\"a\":\n1\n}"),
                refusal("\n\n\u0000"),
                refusal("""{"preset": "\n\r"}"""),
            )) {
                failure.message!!.none { it.isISOControl() } shouldBe true
                failure.message!!.length shouldBeLessThan 1_500
            }
        }

        test("settings that contradict one another are refused with the path of the one that is wrong") {
            refusal("""{"preset": "standard-2.0", "backoff": {"cap": "500ms"}}""").message shouldBe
                "$.backoff.base: must not be above the cap of 500ms: 1s"
            refusal("""{"preset": "standard-2.1", "service": "dynamdb"}""").path shouldBe "$.service"
        }
    })
