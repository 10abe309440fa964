package dev.reprise.presets.botocore

import dev.reprise.core.RetryPolicy
import dev.reprise.presets.Presets
import dev.reprise.presets.sdk.Response
import dev.reprise.presets.sdk.flag
import dev.reprise.presets.sdk.kindOf
import dev.reprise.presets.sdk.millis
import dev.reprise.presets.sdk.nearly
import dev.reprise.presets.sdk.playCase
import dev.reprise.presets.sdk.rows
import dev.reprise.presets.sdk.textOrNull
import dev.reprise.presets.sdk.vectors
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import kotlinx.serialization.json.double
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive

/** botocore's own cases of standard mode 2.1, which has been its default since 1.43. */
class BotocoreStandardVectorsTest :
    FunSpec({
        val all = vectors("botocore-standard.json")

        for (case in all.rows("cases")) {
            test("case: ${case.textOrNull("name")}") {
                playCase(case, Presets.named("standard-2.1", case.getValue("given").jsonObject.textOrNull("service")))
            }
        }

        test("delays") {
            all.getValue("delays_ms").jsonArray.forEachIndexed { index, delay ->
                RetryPolicy.STANDARD.backoff.millis(index, 1.0) shouldBe nearly(delay.jsonPrimitive.double)
            }
        }

        test("statuses and codes") {
            for (row in all.rows("classification")) {
                val kind = kindOf(RetryPolicy.STANDARD, Response.of(row))
                withClue("$row") {
                    // botocore counts this code as both.
                    if (row.textOrNull("kind") == "retried") {
                        kind shouldNotBe "none"
                    } else {
                        kind shouldBe row.textOrNull("kind")
                    }
                }
            }
        }

        test("special cases of services") {
            for (row in all.rows("special")) {
                val policy = Presets.named("standard-2.1", row.textOrNull("service"))
                val plain = Response.of(row)
                val response = Response(
                    plain.status,
                    plain.errorCode,
                    row["headers"]?.jsonObject?.mapValues { it.value.jsonPrimitive.content }.orEmpty(),
                    body = row.textOrNull("body")?.encodeToByteArray(),
                )
                // Here as in other SDKs for every service; no other than STS has the code.
                val isRetried = row.flag("retried") || response.errorCode == "IDPCommunicationError"
                withClue("$row") { (kindOf(policy, response) != "none") shouldBe isRetried }
            }
        }
    })
