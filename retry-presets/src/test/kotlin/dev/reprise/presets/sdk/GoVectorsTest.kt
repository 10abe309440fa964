package dev.reprise.presets.sdk

import dev.reprise.core.FailureKind
import dev.reprise.core.shell.values.GoBackoff
import dev.reprise.core.shell.values.delayNanos
import dev.reprise.presets.Presets
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import kotlinx.serialization.json.long
import java.io.IOException
import java.net.ConnectException
import java.net.SocketException
import java.net.UnknownHostException
import java.nio.channels.UnresolvedAddressException

class GoVectorsTest :
    FunSpec({
        val all = vectors("go-v1.json")

        fun JsonObject.nanos(name: String) = getValue(name).jsonPrimitive.long

        fun kind(row: JsonObject) = if (row.flag("throttle")) FailureKind.THROTTLING else FailureKind.TRANSIENT

        test("delays are the SDK's to the nanosecond, beyond its guard too") {
            for (row in all.rows("delays")) {
                val backoff = GoBackoff(row.nanos("min_ns"), row.nanos("max_ns"))
                withClue("$row") {
                    backoff.delayNanos(row.int("retry_count"), kind(row), -1) { row.double("u") } shouldBe
                        row.nanos("delay_ns")
                }
            }
        }

        test("the preset has the SDK's retryers") {
            val services = mapOf(
                "default" to null,
                "dynamodb" to "dynamodb",
                "ec2 ModifyNetworkInterfaceAttribute" to "ec2.ModifyNetworkInterfaceAttribute",
            )
            for (row in all.rows("delays").filter { it.textOrNull("retryer") in services }) {
                val policy = Presets.named("go-v1", services[row.textOrNull("retryer")])
                withClue("$row") {
                    policy.backoff.delayNanos(row.int("retry_count"), kind(row), -1) { row.double("u") } shouldBe
                        row.nanos("delay_ns")
                }
            }
            val constants = all.getValue("constants").jsonObject
            Presets.named("go-v1").maxAttempts shouldBe constants.int("max_retries") + 1
            Presets.named("go-v1", "dynamodb").maxAttempts shouldBe constants.int("dynamodb_max_retries") + 1
        }

        test("Retry-After is added to throttling delays; what would be negative there is no wait") {
            for (row in all.rows("retry_after")) {
                val headers = mapOf("retry-after" to row.textOrNull("retry_after")!!)
                val call = Client(Presets.named("go-v1"), u = row.double("u")).begin()
                call.ends(Response(row.int("status"), headers = headers))
                withClue("$row") { call.delayNanos shouldBe row.nanos("delay_ns").coerceAtLeast(0) }
            }
        }

        test("no retries, no delay") {
            val call = Client(Presets.named("go-v1").with { maxAttempts = 1 }).call(listOf(Response(500)))
            call.isOver shouldBe true
            call.delayNanos shouldBe 0
        }

        test("conditions are the SDK's") {
            for (row in all.rows("decisions")) {
                val response = Response(row.int("status"), row.textOrNull("error_code")?.takeIf { it.isNotEmpty() })
                val expected = if (row.flag("throttle")) {
                    "throttling"
                } else if (row.flag("retry")) {
                    "transient"
                } else {
                    "none"
                }
                withClue("$row") { kindOf(Presets.named("go-v1"), response) shouldBe expected }
            }
        }

        test("a reset while reading and a name that does not exist are final, all else of the network is not") {
            val policy = Presets.named("go-v1")
            val causes = mapOf(
                "net.OpError read: connection reset" to SocketException("Connection reset"),
                "net.OpError write: broken pipe" to SocketException("Broken pipe"),
                "DNS error not temporary" to UnknownHostException(),
                "unknown error" to IOException("?"),
                "none" to ConnectException(),
            )
            kindOf(policy, UnresolvedAddressException()) shouldBe "none"
            for (row in all.rows("io_errors").filter { it.textOrNull("cause") in causes }) {
                val failure = causes.getValue(row.textOrNull("cause")!!)
                withClue("$row") { (kindOf(policy, failure) != "none") shouldBe row.flag("retry") }
            }
        }

        test("Kinesis, STS and SQS retry a code of their own") {
            for ((service, code) in mapOf(
                "kinesis" to "LimitExceededException",
                "sts" to "IDPCommunicationError",
                "sqs" to "InvalidChecksum",
            )) {
                kindOf(Presets.named("go-v1", service), Response(400, code)) shouldBe "transient"
                kindOf(Presets.named("go-v1"), Response(400, code)) shouldBe "none"
            }
        }
    })
