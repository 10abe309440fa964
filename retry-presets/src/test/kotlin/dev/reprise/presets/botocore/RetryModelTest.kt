package dev.reprise.presets.botocore

import dev.reprise.presets.document.PolicyFormatException
import dev.reprise.presets.outside.Work
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContain
import io.kotest.matchers.comparables.shouldBeLessThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.string
import io.kotest.property.checkAll
import kotlin.time.Duration.Companion.seconds

private const val DELAY = """"delay": {"type": "exponential", "base": 1, "growth_factor": 2}"""

class RetryModelTest :
    FunSpec({
        fun model(policies: String, definitions: String = "{}", more: String = "") = """{"definitions": $definitions,
               "retry": {"__default__": {"max_attempts": 3, $DELAY, "policies": $policies}$more}}"""

        fun refusal(text: String) = shouldThrow<PolicyFormatException> { RetryModel.read(text) }

        test("the built-in model has botocore's services") {
            RetryModel.builtIn.services shouldContain "dynamodb"
            RetryModel.builtIn.resolve("lambda") shouldBe RetryModel.builtIn.resolve()
            RetryModel.builtIn.resolve("dynamodb", "PutItem") shouldBe RetryModel.builtIn.resolve("dynamodb")
        }

        test("what is wrong is refused with path and rule") {
            val status = """{"applies_when": {"response": {"http_status_code": 500}}}"""
            val at = "$.retry.__default__"
            val refused =
                mapOf(
                    "[]" to "$",
                    "{}" to "$",
                    model("{}").dropLast(1) + """, "version": 2}""" to "$.version",
                    """{"retry": {"dynamodb": 5}}""" to "$.retry.dynamodb",
                    """{"retry": {}}""" to "$.retry",
                    """{"retry": {"dynamodb": {}}}""" to "$.retry.dynamodb",
                    """{"retry": {"__default__": {"max_attempts": 3, "policies": {}}}}""" to at,
                    """{"retry": {"__default__": {"max_attempts": 0, $DELAY}}}""" to "$at.max_attempts",
                    """{"retry": {"__default__": {"max_attempts": 3, "delay": {"type": "linear"}}}}""" to
                        "$at.delay.type",
                    model("""{"p": 5}""") to "$at.policies.p",
                    model("""{"p": {"applies_when": {"response": {"http_status_code": "5xx"}}}}""") to
                        "$at.policies.p.applies_when.response.http_status_code",
                    model("""{"p": {"applies_when": {"response": {"http_status_code": 5}}}}""") to
                        "$at.policies.p.applies_when.response.http_status_code",
                    model("""{"p": {"applies_when": {"socket_errors": ["OTHER"]}}}""") to
                        "$at.policies.p.applies_when.socket_errors[0]",
                    model("""{"p": {"${'$'}ref": "q"}}""") to "$at.policies.p.\$ref",
                    model("""{"p": {"${'$'}ref": "q"}}""", """{"q": {"${'$'}ref": "q"}}""") to "$at.policies.p.\$ref",
                    model("{}", more = """, "s3": {"PutObject": {"policies": {"p": 5}}}""") to
                        "$.retry.s3.PutObject.policies.p",
                    model("{}", """{"q": 5}""", """, "s3": {"${'$'}ref": "q"}""") to "$.retry.s3",
                    model("{}", more = """, "s3": {"__default__": {"max_attempts": "x"}}""") to
                        "$.retry.s3.__default__.max_attempts",
                    model("""{"p": $status}""").dropLast(1) to "$",
                    model("{}").replace("\"max_attempts\"", "\"more\": 1, \"max_attempts\"") to "$at.more",
                    model("{}").replace("\"base\"", "\"more\": 1, \"base\"") to "$at.delay.more",
                    model("""{"p": {"applies_when": {"socket_errors": []}, "more": 1}}""") to "$at.policies.p.more",
                    model("""{"p": {"applies_when": {"socket_errors": [], "more": 1}}}""") to
                        "$at.policies.p.applies_when.more",
                    model("""{"p": {"applies_when": {"response": {"http_status_code": 500, "more": 1}}}}""") to
                        "$at.policies.p.applies_when.response.more",
                    model("{}", more = """, "s3": {"PutObject": {"policies": {}, "more": 1}}""") to
                        "$.retry.s3.PutObject.more",
                )
            for ((text, path) in refused) withClue(text) { refusal(text).path shouldBe path }
        }

        test("a policy of a model is botocore's: no quota, no delays of the server, no waits of long polls") {
            val policy = RetryModel.read(model("{}")).resolve()
            policy.quota shouldBe null
            policy.serverDelays shouldBe emptyList()
            policy.longPollingDelay shouldBe false
            policy.maxAttempts shouldBe 3
        }

        test("references may lead to references, but cannot make a small file huge") {
            val laughs =
                (1..30).joinToString(",", "{", "}") {
                    val next = """{"${'$'}ref": "d${it + 1}"}"""
                    """"d$it": {"a": $next, "b": $next}"""
                }.dropLast(1) + """, "d31": {}}"""
            Work.of {
                refusal(model("""{"p": {"${'$'}ref": "d1"}}""", laughs)).rule shouldContain "values"
            }.cpu shouldBeLessThan 5.seconds
            val chain = """{"a": {"${'$'}ref": "b"}, "b": {"applies_when": {"response": {"http_status_code": 418}}}}"""
            RetryModel.read(model("""{"p": {"${'$'}ref": "a"}}""", chain)).resolve().classifier.toString() shouldContain
                "418"
        }

        test("what is at a limit is read, and what is beyond it refused") {
            val once = model("{}").replace("\"max_attempts\": 3", "\"max_attempts\": 1")
            RetryModel.read(once).resolve().maxAttempts shouldBe 1

            fun chain(references: Int) = (1..references).joinToString(",", "{", "}") {
                if (it < references) """"d$it": {"${'$'}ref": "d${it + 1}"}""" else """"d$it": {"applies_when": {}}"""
            }

            fun led(references: Int) = refusal(model("""{"p": {"${'$'}ref": "d1"}}""", chain(references)))
            // Around the chain are the service, its defaults, policies and the rule, and in its end is one value more.
            val deeper = (90..101).filter { "deeper" in led(it).rule }
            deeper shouldBe (97..101).toList()
        }

        test("no part of a file is said so often that a small file needs much memory") {
            fun refs(name: String, count: Int) =
                (1..count).joinToString(",", "{", "}") { """"p$it": {"${'$'}ref": "$name"}""" }
            val long = """{"applies_when": {"response": {"http_status_code": 500, "service_error_code": "${"x".repeat(
                129,
            )}"}}}"""
            val errors = List(10_000) { "\"GENERAL_CONNECTION_ERROR\"" }
            val wide = """{"applies_when": {"socket_errors": $errors}}"""

            refusal(model(refs("d", 10), """{"d": $long}""")).run {
                path shouldBe "$.retry.__default__.policies.p1.applies_when.response.service_error_code"
                rule shouldBe "must not be longer than 128 characters"
            }
            refusal(model(refs("d", 10_000), """{"d": $wide}""")).rule shouldBe
                "must not lead to more than 100000 values"
            refusal(
                model(refs("d", 10_000), """{"d": {"a": {"b": {"c": {"d": {"e": {"f": {"g": {"h": {"i": 1}}}}}}}}}}"""),
            ).rule shouldBe "must not lead to more than 100000 values"
        }

        test("any text is read or refused, and never fails otherwise") {
            val whole = checkNotNull(RetryModel::class.java.getResource("retry.json")).readText()
            checkAll(Arb.string(0..60)) { text -> failsAsDocumented { RetryModel.read(text) } }
            checkAll(300, Arb.int(whole.indices), Arb.string(0..4)) { at, text ->
                failsAsDocumented { RetryModel.read(whole.replaceRange(at, minOf(whole.length, at + 2), text)) }
            }
        }
    })

private fun failsAsDocumented(read: () -> Any) {
    runCatching(read).exceptionOrNull()?.shouldBeInstanceOf<PolicyFormatException>()
}
