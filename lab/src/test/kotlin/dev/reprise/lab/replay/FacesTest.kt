package dev.reprise.lab.replay

import dev.reprise.core.TokenBucketSettings
import dev.reprise.presets.Presets
import io.kotest.core.spec.style.FunSpec
import io.kotest.inspectors.forAll
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.arbitrary
import io.kotest.property.arbitrary.boolean
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.checkAll

/** Every face prints the same lines for the same scenario. */
class FacesTest :
    FunSpec({
        val presets = Arb.element(
            "standard-2.1",
            "standard-2.0",
            "adaptive-2.1",
            "java-v1",
            "go-v1",
            "js-v2-http-helper",
            "standard-steady",
            "adaptive-steady",
        )
        val limits = Arb.element(
            "",
            """, "attemptTimeout": "300.0000004ms"""",
            """, "deadline": "1.2000001s"""",
            """, "attemptTimeout": "2s", "deadline": "3s", "onNoPermit": "fail"""",
            """, "onNoPermit": {"waitAtMost": "700ms"}""",
            """, "serverDelays": [{"header": "retry-after", "atLeast": "1m"}]""",
        )
        val outcomes = Arb.element(
            """"status": 200""",
            """"status": 500""",
            """"status": 503, "headers": {"Retry-After": "1"}""",
            """"status": 503, "headers": {"Retry-After": "Thu, 01 Jan 1970 00:00:02 GMT"}""",
            """"status": 429, "headers": {"Date": "Sun, 06 Nov 1994 08:49:37 GMT",
                "Retry-After": "Sun, 06 Nov 1994 08:49:38 GMT"}""",
            """"status": 400, "body": "{\"__type\": \"ns#ThrottlingException\"}"""",
            """"status": 400, "code": "BadRequestException", "message": "Communications link failure"""",
            """"status": 429, "headers": {"x-amz-retry-after": "700"}""",
            """"status": 400, "code": "ThrottlingException"""",
            """"status": 400, "code": "com.amazon.coral.service#ThrottlingException:http://a/"""",
            """"status": 400, "headers": {"X-Amzn-ErrorType": "InternalError:http://internal.amazon.com/coral/"}""",
            """"status": 301, "headers": {"Location": "http://elsewhere/"}""",
            """"status": 404""",
            """"exception": "java.net.ConnectException"""",
            """"exception": "java.net.SocketTimeoutException"""",
            """"exception": "java.lang.IllegalStateException"""",
            """"exception": "java.util.concurrent.CancellationException"""",
        )
        val calls = arbitrary {
            val given = List(CALL_ATTEMPTS) { """{${outcomes.bind()}, "takes": 0.${Arb.int(0..5).bind()}}""" }
            val longPolling = Arb.boolean().bind()
            val idempotent = Arb.boolean().bind()
            """{"longPolling": $longPolling, "idempotent": $idempotent, "outcomes": $given}"""
        }

        test("all faces agree on any scenario") {
            checkAll(100, presets, limits, Arb.list(calls, 1..4), Arb.int(0..60), Arb.int(0..10)) {
                    preset,
                    limit,
                    called,
                    quota,
                    draw,
                ->
                val hasQuota = Presets.named(preset).quota is TokenBucketSettings
                val scenario = """{"policy": {"preset": "$preset", "maxAttempts": $CALL_ATTEMPTS$limit},
                    "draws": [${draw / 10.0}]${if (hasQuota) """, "quota": $quota""" else ""}, "calls": $called}"""
                val lines = replay(scenario)
                (FACES.keys - "suspend").forAll { face -> replay(scenario, face) shouldBe lines }
            }
        }

        test("all faces make as many attempts as the policy wants") {
            val outcomes = List(24) { """{"status": 503}""" } + """{"status": 200}"""
            val policy = """{"preset": "standard-2.1", "maxAttempts": 25}"""
            val scenario = """{"policy": $policy, "calls": [{"outcomes": $outcomes}]}"""
            FACES.keys.forAll { face ->
                val lines = replay(scenario, face)
                lines.size shouldBe 25
                lines.last()("reason") shouldBe "success"
                lines shouldBe replay(scenario)
            }
        }
    })

private const val CALL_ATTEMPTS = 4
