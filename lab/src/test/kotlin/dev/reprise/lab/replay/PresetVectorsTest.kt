package dev.reprise.lab.replay

import dev.reprise.presets.Presets
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.boolean
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive

/** What the SDKs were seen to do, replayed through the presets that are named after them. */
class PresetVectorsTest :
    FunSpec({
        fun JsonObject.flag(name: String) = getValue(name).jsonPrimitive.boolean

        /** What one response leads to, the first of a call: the line that replay prints for it. */
        fun first(preset: String, service: String?, response: JsonObject, draw: Double = 0.5): JsonObject {
            val policy = json("preset" to preset, "service" to service)
            val calls = listOf(json("outcomes" to listOf(response, json("status" to 200))))
            return replay(json("policy" to policy, "draws" to listOf(draw), "calls" to calls).toString()).first()
        }

        fun response(row: JsonObject) = json(
            "status" to row["status"],
            "code" to row("error_code")?.takeIf { it.isNotEmpty() },
        )

        test("botocore-legacy decides like botocore, for each service") {
            for (row in vectors("botocore-legacy.json").objects("decisions")) {
                val line = first("botocore-legacy", row("service"), response(row))
                withClue("$row $line") {
                    line("decision") shouldBe if (row.flag("retry")) "retry" else "stop"
                    if (row.flag("retry")) line.number("delayMs") shouldBe row.number("delay_s") * 1000
                }
            }
        }

        test("go-v1 decides like the AWS SDK for Go v1") {
            for (row in vectors("go-v1.json").objects("decisions")) {
                val line = first("go-v1", null, response(row))
                withClue("$row $line") {
                    line("decision") shouldBe if (row.flag("retry")) "retry" else "stop"
                    line("kind") shouldBe
                        if (!row.flag("retry")) {
                            null
                        } else if (row.flag("throttle")) {
                            "throttling"
                        } else {
                            "transient"
                        }
                }
            }
        }

        test("go-v1 adds Retry-After like the AWS SDK for Go v1, and never waits less than nothing") {
            for (row in vectors("go-v1.json").objects("retry_after")) {
                val headers = json("Retry-After" to row("retry_after"))
                val line = first("go-v1", null, json("status" to row["status"], "headers" to headers), row.number("u"))
                withClue("$row $line") {
                    line.number("delayMs") shouldBe (row.number("delay_ns") / 1e6).coerceAtLeast(0.0)
                }
            }
        }

        test("js-v2 decides like the AWS SDK for JavaScript v2, for each service") {
            for (row in vectors("js-v2.json").objects("decisions")) {
                if (row("message")?.isNotEmpty() == true) continue // a scenario has no messages of responses
                val line = first("js-v2", row("service"), response(row))
                withClue("$row $line") { (line("verdict") == "retry") shouldBe row.flag("retryable") }
            }
        }

        test("java-v1 decides like the AWS SDK for Java v1") {
            for (row in vectors("java-v1.json").objects("decisions").filter { "status" in it }) {
                val line = first("java-v1", null, response(row))
                withClue("$row $line") {
                    line("kind") shouldBe
                        if (!row.flag("retry")) {
                            null
                        } else if (row.flag("throttling")) {
                            "throttling"
                        } else {
                            "transient"
                        }
                }
            }
        }

        test("java-v1 and java-v1-standard take and give back quota like the SDK's whole client") {
            for (flow in vectors("java-v1.json").objects("client_flows")) {
                val preset = if (flow("retry_mode") == "legacy") "java-v1" else "java-v1-standard"
                val outcomes = flow.getValue("responses").jsonArray.map { it.jsonPrimitive.content }.map { text ->
                    if (text == "hang") {
                        json("exception" to "java.net.SocketTimeoutException")
                    } else {
                        json(
                            "status" to text.substringBefore(':').toInt(),
                            "code" to text.substringAfter(':', "").ifEmpty { null },
                        )
                    }
                }
                val scenario = json(
                    "policy" to json("preset" to preset),
                    "quota" to flow["capacity_before"],
                    "calls" to listOf(json("outcomes" to outcomes)),
                )
                val lines = replay(scenario.toString())
                withClue("$flow $lines") {
                    lines.size shouldBe flow.number("attempts_made").toInt()
                    lines.last().number("quota") shouldBe flow.number("capacity_after")
                }
            }
        }

        test("js-v2-http-helper waits like the SDK's helper") {
            for (flow in vectors("js-v2.json").objects("http_helper_flows")) {
                if ("custom" in flow("name")!!) continue // a function cannot stand in a scenario
                val options = flow.getValue("options").jsonObject
                val base = options["retryDelayOptions"]?.jsonObject?.get("base")
                val failures = mapOf(
                    "TimeoutError" to "java.net.SocketTimeoutException",
                    "ECONNREFUSED" to "java.net.ConnectException",
                )
                val outcomes = flow.objects("responses").map { row ->
                    row("error")?.let { json("exception" to failures.getValue(it)) } ?: row
                }
                val scenario = json(
                    "policy" to json(
                        "preset" to "js-v2-http-helper",
                        "maxAttempts" to options.number("maxRetries").toInt() + 1,
                        "backoff" to base?.let { json("base" to "${it}ms") },
                    ),
                    "draws" to listOf(flow.number("u")),
                    "calls" to listOf(json("outcomes" to outcomes)),
                )
                val lines = replay(scenario.toString())
                val slept = flow.getValue("slept_ms").jsonArray.map { it.jsonPrimitive.content.toDouble() }
                withClue("$flow $lines") {
                    lines.size shouldBe flow.number("requests_sent").toInt()
                    lines.filter { it("decision") == "retry" }.map { it.number("delayMs") } shouldBe slept
                }
            }
        }

        test("standard-2.1 and both Java v2 presets classify as recorded") {
            val columns = mapOf(
                "recommended" to "standard-2.1",
                "java_v2_2.0" to "java-v2-standard",
                "java_v2_legacy" to "java-v2-legacy",
            )
            for (row in vectors("standard-2.1.json").objects("classification")) {
                for ((column, preset) in columns) {
                    val line = first(preset, null, response(row))
                    withClue("$preset: $row $line") { (line("kind") ?: "none") shouldBe row(column) }
                }
            }
        }

        test("every preset is replayed") {
            for (preset in Presets.all) {
                val line = first(preset.name, null, json("status" to 500), 1.0)
                withClue("${preset.name}: $line") {
                    line("decision") shouldBe if (preset.name == "none") "stop" else "retry"
                }
            }
        }
    })
