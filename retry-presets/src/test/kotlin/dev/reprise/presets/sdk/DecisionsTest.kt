package dev.reprise.presets.sdk

import dev.reprise.core.classify.FailureKind
import dev.reprise.core.classify.HttpOutcome
import dev.reprise.core.classify.Verdict
import dev.reprise.presets.Presets
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.net.SocketTimeoutException
import java.util.concurrent.TimeoutException
import java.util.zip.CRC32

/** Where SDKs differ or say nothing: what `docs/research/presets.md` says was decided. */
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

        test("java-v1 retries timeouts that are IOExceptions, and no others, as the SDK does") {
            for (preset in JavaV1.all) {
                for (service in preset.services + null) {
                    val classifier = preset.policy(service).classifier
                    for (wrap in listOf<(Exception) -> Exception>({ it }, { RuntimeException(it) })) {
                        classifier.classifyFailure(wrap(TimeoutException())) shouldBe null
                        (classifier.classifyFailure(wrap(SocketTimeoutException())) as Verdict.Retry).kind shouldBe
                            FailureKind.TIMEOUT
                    }
                }
            }
            (Presets.named("java-v2-standard").classifier.classifyFailure(TimeoutException()) is Verdict.Retry) shouldBe
                true
        }
    })
