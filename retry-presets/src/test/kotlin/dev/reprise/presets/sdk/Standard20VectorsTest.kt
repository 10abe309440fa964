package dev.reprise.presets.sdk

import dev.reprise.core.FailureKind
import dev.reprise.core.Jitter
import dev.reprise.core.StopReason
import dev.reprise.core.shell.values.costOf
import dev.reprise.presets.ExponentialBackoff
import dev.reprise.presets.Presets
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.serialization.json.jsonObject
import java.io.IOException
import java.io.UncheckedIOException
import java.net.SocketTimeoutException
import java.net.UnknownHostException
import kotlin.math.floor

class Standard20VectorsTest :
    FunSpec({
        val all = vectors("standard-2.0.json")
        val standard = Presets.named("standard-2.0")

        for (case in all.rows("cases")) test("case: ${case.textOrNull("name")}") { playCase(case, standard) }

        for (case in vectors("standard-smithy-kotlin.json").rows("cases_2_0")) {
            test("smithy-kotlin's case: ${case.textOrNull("name")}") { playCase(case, standard) }
        }

        test("delays are botocore's and Rust's") {
            val rust = all.getValue("delays_rust_2_0").jsonObject.rows("values")
            for (row in all.rows("delays_botocore") + rust) {
                withClue("$row") {
                    standard.backoff.millis(row.int("retry_index"), row.double("u")) shouldBe
                        nearly(row.double("delay_ms"))
                }
            }
        }

        test(
            "delays of the AWS SDK for JavaScript v3 are equal as long as its cap, which stands after the jitter, is far",
        ) {
            for (row in all.rows("delays_js_v3_pre_2026")) {
                val base = if (row.textOrNull("type") == "THROTTLING") 500L else 100L
                val uncapped = ExponentialBackoff(base * 1_000_000)
                val delay = minOf(uncapped.millis(row.int("retry_index"), row.double("u")), 20_000.0)
                withClue("$row") { floor(delay) shouldBe row.double("delay_ms") }
            }
        }

        test("delays of the AWS SDK for Go v2 are those of an exponent that starts at 1, below its cap") {
            val backoff = ExponentialBackoff(1_000_000_000, firstExponent = 1)
            for (row in all.getValue("delays_go_v2_2_0").jsonObject.rows("values")) {
                val attempt = row.int("attempt_1_based")
                if (attempt > 4) continue // there it waits 20 s without jitter, which is not copied
                withClue("$row") {
                    backoff.millis(attempt - 1, row.double("u")) shouldBe nearly(row.double("delay_ms"))
                }
            }
        }

        test("delays of the AWS SDK for Java v2 are whole milliseconds below the ceiling") {
            val jitters = mapOf("full" to Jitter.FULL_MILLIS, "half" to Jitter.EQUAL_MILLIS, "none" to Jitter.NONE)
            for (row in all.getValue("delays_java_v2").jsonObject.rows("values")) {
                val attempt = row.int("attempt")
                if (attempt == 1) continue // no wait before a first attempt: nothing asks
                val cap = row.int("max_ms") * 1_000_000L
                val jitter = jitters.getValue(row.textOrNull("jitter")!!)
                val backoff = ExponentialBackoff(row.int("base_ms") * 1_000_000L, capNanos = cap, jitter = jitter)
                withClue("$row") {
                    backoff.millis(attempt - 2, row.doubleOrNull("u") ?: 1.0) shouldBe row.double("delay_ms")
                }
            }
        }

        test("the presets of the AWS SDK for Java v2 have its bases and jitters") {
            val legacy = Presets.named("java-v2-legacy").backoff
            legacy.millis(0, 0.5) shouldBe 50.0
            legacy.millis(0, 0.5, FailureKind.THROTTLING) shouldBe 375.0
            Presets.named("java-v2-legacy", "dynamodb").backoff.millis(2, 0.999999) shouldBe 99.0
            val standardMode = Presets.named("java-v2-standard").backoff
            standardMode.millis(1, 0.5) shouldBe 100.0
            standardMode.millis(1, 0.5, FailureKind.THROTTLING) shouldBe 1000.0
        }

        for ((index, flow) in all.rows("java_v2_quota_flows").withIndex()) {
            test("quota of the AWS SDK for Java v2, flow $index") {
                val isLegacy = flow.textOrNull("mode") == "legacy"
                val policy = Presets.named(if (isLegacy) "java-v2-legacy" else "java-v2-standard").with {
                    // The flows were recorded without jitter.
                    backoff = if (isLegacy) plain(100, 500) else plain(100, 1000)
                }
                val client = Client(policy, flow.int("capacity_before"))
                val call = client.begin()
                for (step in flow.rows("steps")) {
                    call.ends(stepResponses.getValue(step.textOrNull("response")!!))
                    withClue("$step") {
                        client.quota!!.available shouldBe step.int("retry_quota")
                        call.delayMillis shouldBe (step.doubleOrNull("delay_ms") ?: 0.0)
                        call.reason shouldBe stepReasons.getValue(step.textOrNull("outcome")!!)
                    }
                }
            }
        }

        test("Retry-After of the AWS SDK for Java v2 is at least kept, without a bound; 2.1 bounds it") {
            for (row in all.rows("java_v2_suggested_delay")) {
                val is20 = row.textOrNull("mode") == "standard_2.0"
                val wish = row.int("suggested_delay_ms")
                val headers =
                    if (is20) mapOf("retry-after" to "${wish / 1000}") else mapOf("x-amz-retry-after" to "$wish")
                val base = Presets.named(if (is20) "java-v2-standard" else "standard-2.1")
                val call = Client(base.with { backoff = plain(100, 1000) }).begin()
                call.ends(Response(500, headers = headers))
                withClue("$row") { call.delayMillis shouldBe row.double("delay_ms") }
            }
        }

        test("codes and statuses are classified as the AWS SDKs for Java v2 do") {
            for (row in vectors("standard-2.1.json").rows("classification")) {
                withClue("$row") {
                    kindOf(Presets.named("java-v2-standard"), Response.of(row)) shouldBe row.textOrNull("java_v2_2.0")
                    kindOf(Presets.named("java-v2-legacy"), Response.of(row)) shouldBe row.textOrNull("java_v2_legacy")
                }
            }
        }

        test("the AWS SDK for Java v2 looks at a failure and at its direct cause") {
            val policy = Presets.named("java-v2-standard")
            for (transient in listOf(IOException(), SocketTimeoutException(), UnknownHostException())) {
                kindOf(policy, transient) shouldBe "transient"
                kindOf(policy, RuntimeException(transient)) shouldBe "transient"
                kindOf(policy, RuntimeException(RuntimeException(transient))) shouldBe "none"
            }
            kindOf(policy, UncheckedIOException(IOException())) shouldBe "transient"
            kindOf(policy, IllegalStateException()) shouldBe "none"
        }

        test("delays of the AWS SDK for Kotlin are cut to whole milliseconds, and drawn from the top") {
            val backoff = Presets.named("kotlin-standard").backoff
            for (row in all.getValue("delays_kotlin_2_0").jsonObject.rows("values")) {
                withClue("$row") {
                    backoff.millis(row.int("retry_index"), row.double("jitter_draw")) shouldBe row.double("delay_ms")
                }
            }
        }

        test("the AWS SDK for Kotlin has 10 tokens for everything, and no throttling in a bare 429") {
            val policy = Presets.named("kotlin-standard")
            FailureKind.entries.map { policy.quota!!.costOf(it) } shouldBe listOf(10, 10, 10)
            kindOf(policy, Response(429)) shouldBe "none"
            kindOf(policy, Response(400, "IDPCommunicationError")) shouldBe "transient"
            kindOf(policy, Response(400, "InternalError")) shouldBe "none"
        }

        test("Docs' rule that a 2.0 client does not know 2.1's header and long-polling delay holds") {
            val call = Client(standard, available = 0).begin()
            call.ends(Response(500, headers = mapOf("x-amz-retry-after" to "9000")))
            call.reason shouldBe StopReason.QUOTA
            standard.serverDelays shouldBe emptyList()
            standard.longPollingDelay shouldBe false
        }
    }) {
    private companion object {
        fun plain(transient: Long, throttling: Long) = ExponentialBackoff(
            transient * 1_000_000,
            throttling * 1_000_000,
            capNanos = 20_000_000_000,
            jitter = Jitter.NONE,
        )

        val stepResponses = mapOf(
            "transient" to Response(500),
            "throttle" to Response(400, "Throttling"),
            "fatal" to Response(400, "ValidationException"),
            "ok" to Response(200),
        )

        val stepReasons = mapOf(
            "retry_request" to null,
            "max_retries_reached" to StopReason.ATTEMPTS,
            "success" to StopReason.SUCCESS,
            "non_retryable_exception" to StopReason.REJECTED,
            "token_acquisition_failed" to StopReason.QUOTA,
        )
    }
}
