package dev.reprise.presets.sdk

import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.CallOptions
import dev.reprise.core.FailureKind
import dev.reprise.core.HttpOutcome
import dev.reprise.core.Repeat
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.presets.Presets
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.net.SocketTimeoutException
import java.util.concurrent.TimeoutException
import java.util.zip.CRC32

/** Where SDKs differ or say nothing: what `docs/research/design.md` says was decided. */
class DecisionsTest :
    FunSpec({
        class Checked(override val status: Int, override val body: ByteArray?, private val crc32: String?) :
            HttpOutcome() {
            override fun header(name: String): String? = crc32.takeIf { name == "x-amz-crc32" }
        }

        test("standard-2.1 retries a damaged body of DynamoDB's, whatever its status, where the shell has the body") {
            val body = "{}".encodeToByteArray()
            val right = CRC32().apply { update(body) }.value.toString()
            for (preset in listOf("standard-2.1", "adaptive-2.1", "adaptive-steady")) {
                val classifier = Presets.named(preset, "dynamodb").classifier
                for (status in listOf(200, 400)) {
                    val damaged = classifier.classifyResult(Checked(status, body, "7"))
                    (damaged as Verdict.Retry).run { kind to why } shouldBe (FailureKind.TRANSIENT to "crc32 mismatch")
                }
                for (intact in listOf(Checked(200, body, right), Checked(200, null, "7"), Checked(200, body, "x"))) {
                    classifier.classifyResult(intact) shouldBe null
                }
                for (service in listOf("streams.dynamodb", "dynamodbstreams", "s3", null)) {
                    Presets.named(preset, service).classifier.classifyResult(Checked(200, body, "7")) shouldBe null
                }
            }
        }

        test("a redirect and an unchanged document are successes everywhere") {
            for (preset in Presets.all) {
                for (service in preset.services + null) {
                    for (status in listOf(301, 302, 304)) {
                        withClue("${preset.name} $service $status") {
                            preset.policy(service).classifier.classifyResult(Checked(status, null, null)) shouldBe null
                        }
                    }
                }
            }
        }

        test(
            "the presets of both SDKs for Java retry timeouts that are IOExceptions, and no others but an attempt's own",
        ) {
            for (preset in Presets.all.filter { it.name.startsWith("java-v") }) {
                for (service in preset.services + null) {
                    val classifier = preset.policy(service).classifier
                    for (wrap in listOf<(Exception) -> Exception>({ it }, { RuntimeException(it) })) {
                        classifier.classifyFailure(wrap(TimeoutException())) shouldBe null
                        (classifier.classifyFailure(wrap(SocketTimeoutException())) as Verdict.Retry).kind shouldBe
                            FailureKind.TIMEOUT
                    }
                    (classifier.classifyFailure(AttemptTimeoutException(1, 1)) as Verdict.Retry).kind shouldBe
                        FailureKind.TIMEOUT
                }
            }
        }

        test("java-v1 does not pay for a failure of work that may not be repeated") {
            for (preset in listOf("java-v1", "java-v1-standard")) {
                val client = Client(Presets.named(preset))
                val call = client.begin(CallOptions { repeat = Repeat.NEVER })
                call.ends(SocketTimeoutException())
                call.reason shouldBe StopReason.NOT_REPLAYABLE
                client.quota!!.available shouldBe 500
            }
        }

        test(
            "java-v1 drops a response's own status from the beginning of its code, and white space of ASCII after it",
        ) {
            val policy = Presets.named("java-v1")
            for (code in listOf("400 Throttling", "400Throttling", "400\tThrottling", "400 Thrott\u000Bling ")) {
                kindOf(policy, Response(400, code)) shouldBe "throttling"
            }
            for (code in listOf("400", "400\u00A0Throttling", " 400 Throttling", "503 Throttling", "Thrott ling")) {
                kindOf(policy, Response(400, code)) shouldBe "none"
            }
        }

        test(
            "java-v2: a 429 is throttling whatever its code: it costs nothing in legacy mode, and has the longer base",
        ) {
            val transient =
                listOf("InternalError", "RequestTimeout", "RequestTimeoutException", "PriorRequestNotComplete")
            val skewed = listOf("RequestTimeTooSkewed", "RequestExpired", "RequestInTheFuture")
            for (code in transient + skewed + listOf("ValidationException", null)) {
                for ((preset, expected) in listOf(
                    "java-v2-legacy" to (500 to 375.0),
                    "java-v2-standard" to (495 to 500.0),
                )) {
                    val client = Client(Presets.named(preset), u = 0.5)
                    val call = client.call(listOf(Response(429, code)))
                    withClue("$preset $code") { (client.quota!!.available to call.delayMillis) shouldBe expected }
                }
            }
            for (code in transient + skewed) {
                for (status in listOf(400, 500)) {
                    kindOf(Presets.named("java-v2-legacy"), Response(status, code)) shouldBe "transient"
                }
            }
        }

        test("java-v2 reads Retry-After with Integer.parseInt; a negative number, which throws there, is ignored") {
            fun waits(header: String): Double {
                val call = Client(Presets.named("java-v2-standard"), u = 0.5).begin()
                call.ends(Response(503, headers = mapOf("retry-after" to header)))
                return call.delayMillis
            }
            for (header in listOf("5", "+5")) waits(header) shouldBe 5000.0
            waits("2147483647") shouldBe 2147483647000.0
            for (header in listOf("2147483648", "3000000000", "-5", "soon", "Sun, 06 Nov 2033 08:49:37 GMT")) {
                waits(header) shouldBe 50.0
            }
        }
    })
