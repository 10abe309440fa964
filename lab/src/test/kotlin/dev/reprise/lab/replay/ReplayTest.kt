package dev.reprise.lab.replay

import io.kotest.core.spec.style.FunSpec
import io.kotest.inspectors.forAll
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.arbitrary.map
import io.kotest.property.checkAll
import java.math.BigDecimal
import kotlin.math.round

class ReplayTest :
    FunSpec({
        val plain = """{"preset": "standard-2.1"}"""

        test("a line says all that the description promises, in its order") {
            val lines = replay(
                """{"name": "n", "policy": {"preset": "standard-2.1", "service": "dynamodb", "maxAttempts": 5},
                "draws": [0.5, 0.25], "quota": 30, "startAt": 0.0, "calls": [
                {"at": 0.0, "operation": "ReceiveMessage", "longPolling": true, "idempotent": true, "outcomes": [
                {"status": 500, "code": "InternalError", "headers": {"x-amz-retry-after": "1500"}, "takes": 0.02},
                {"exception": "java.net.SocketTimeoutException"}, {"status": 200}]}]}""",
            )
            lines.map {
                it.toString()
            } shouldBe """
                {"name":"n","call":1,"attempt":1,"at":0.02,"verdict":"retry","kind":"transient","decision":"retry",
                "delayMs":1500.0,"permitWaitMs":0.0,"quota":16}
                {"name":"n","call":1,"attempt":2,"at":1.52,"verdict":"retry","kind":"transient","decision":"retry",
                "delayMs":12.5,"permitWaitMs":0.0,"quota":2}
                {"name":"n","call":1,"attempt":3,"at":1.5325,"verdict":"accept","kind":null,"decision":"stop",
                "reason":"success","delayMs":0.0,"permitWaitMs":0.0,"quota":16}
            """.trimIndent().replace(",\n", ",").lines()
        }

        test("calls share the quota, and start at their time or when the one before has ended") {
            val lines = replay(
                """{"quota": 14, "startAt": 100, "calls": [
                {"outcomes": [{"status": 500, "takes": 1}, {"status": 500}]},
                {"at": 100.5, "outcomes": [{"status": 404}]},
                {"at": 200, "outcomes": [{"status": 503}]}]}""",
            )
            lines.map { it("at") } shouldBe listOf("101.0", "101.05", "101.05", "200.0")
            lines.map { it("call") } shouldBe listOf("1", "1", "2", "3")
            lines.map { it("reason") } shouldBe listOf(null, "quota", "rejected", "quota")
            lines.map { it("quota") } shouldBe listOf("0", "0", "0", "0")
        }

        test("a long poll that the quota refuses keeps the next call waiting") {
            val lines = replay(
                """{"quota": 0, "calls": [{"longPolling": true, "outcomes": [{"status": 429}]},
                {"outcomes": [{"status": 200}]}]}""",
            )
            lines.map { it("delayMs") } shouldBe listOf("1000.0", "0.0")
            lines.map { it("at") } shouldBe listOf("0.0", "1.0")
        }

        test("an attempt that takes too long is cut off to the nanosecond") {
            val slow = """{"status": 200, "takes": 5}"""
            val cut = replayCall("""{"preset": "standard-2.1", "attemptTimeout": "1.0000005s"}""", slow, slow, slow)
            cut.map { it("at") } shouldBe listOf("1.0000005", "2.050001", "3.1500015")
            cut.map { it("kind") } shouldBe listOf("transient", "transient", "transient")

            val late =
                replayCall("""{"preset": "standard-2.1", "deadline": "2.0000001s"}""", """{"status": 500}""", slow)
            late.map { it("at") } shouldBe listOf("0.0", "2.0000001")
            late.map { it("reason") } shouldBe listOf(null, "deadline")
        }

        test("a wait that would cross the deadline does not begin") {
            val lines = replayCall("""{"preset": "standard-2.1", "deadline": "1s"}""", """{"status": 429}""")
            lines.map { it("reason") } shouldBe listOf("deadline")
            lines.map { it("quota") } shouldBe listOf("500")
        }

        test("work that is not idempotent is repeated only if nothing was sent") {
            val lines = replay(
                """{"calls": [{"idempotent": false, "outcomes": [
                {"exception": "java.net.ConnectException"}, {"exception": "java.net.SocketException"}]}]}""",
            )
            lines.map { it("decision") } shouldBe listOf("retry", "stop")
            lines.map { it("reason") } shouldBe listOf(null, "not-replayable")
        }

        test("a date in Retry-After is reckoned from the clock, as seconds since 1970") {
            val lines = replay(
                """{"policy": {"serverDelays": [{"header": "retry-after", "atLeast": "1m"}]},
                "startAt": 784111777, "calls": [{"outcomes": [
                {"status": 503, "headers": {"Retry-After": "Sun, 06 Nov 1994 08:49:47 GMT"}}, {"status": 200}]}]}""",
            )
            lines.first()("delayMs") shouldBe "10000.0"
        }

        test("a service's error message counts where a policy looks at it, also in the body") {
            val policy = """{"preset": "js-v2", "service": "rdsdataservice"}"""
            val failure = """"status": 400, "code": "BadRequestException""""
            fun told(how: String) =
                replayCall(policy, "{$failure, $how}", """{$failure, "message": "no"}""").map { it("verdict") }
            told(""""message": "Communications link failure"""") shouldBe listOf("retry", "reject")
            told(""""body": "{\"message\": \"Communications link failure\"}"""") shouldBe listOf("retry", "reject")
        }

        test("an error code is read as it is on the wire, in its header too, by all faces") {
            val codes = listOf(
                """"headers": {"x-amzn-errortype": "ThrottlingException"}""",
                """"headers": {"X-Amzn-ErrorType": "a.b#ThrottlingException:http://internal.amazon.com/coral/c#d"}""",
                """"code": "com.amazon.coral.service#ThrottlingException"""",
                """"code": "ThrottlingException", "headers": {"x-amzn-errortype": "ValidationException"}""",
                """"body": "{\"__type\": \"a#ThrottlingException\"}"""",
                """"body": "<Error><Code> ThrottlingException </Code></Error>"""",
            )
            FACES.keys.forAll { face ->
                codes.forAll { code ->
                    val lines = replayCall(plain, """{"status": 400, $code}""", """{"status": 200}""", face = face)
                    lines.map { it("kind") } shouldBe listOf("throttling", null)
                }
            }
        }

        test("an error message with line breaks is read as it is, by all faces") {
            val policy = """{"preset": "js-v2", "service": "rdsdataservice"}"""
            val told = """"message": "Communications link failure\n\n\"The last packet\" was sent""""
            FACES.keys.forAll { face ->
                val failure = """{"status": 400, "code": "BadRequestException", $told}"""
                replayCall(policy, failure, """{"status": 200}""", face = face).size shouldBe 2
            }
        }

        test("a redirect is an outcome, and is not followed") {
            FACES.keys.forAll { face ->
                val moved = """{"status": 302, "headers": {"Location": "http://elsewhere/"}}"""
                replayCall(plain, moved, face = face).map { it("verdict") } shouldBe listOf("accept")
            }
        }

        test("a wrong clock shows on the scenario's clock, where the client's own does not count") {
            val table = """{"table": [{"kind": "transient", "statuses": [500]}]}"""
            val policy = """{"classifier": [{"clockSkew": {}}, $table]}"""
            fun verdicts(date: String, face: String) = replay(
                """{"policy": $policy, "startAt": 784111777, "calls": [{"outcomes": [
                {"status": 403, "code": "SignatureDoesNotMatch", "headers": {"Date": "$date"}},
                {"status": 200}]}]}""",
                face,
            ).map { it("verdict") }
            listOf("suspend", "blocking", "future").forAll { face ->
                verdicts("Sun, 06 Nov 1994 08:53:38 GMT", face) shouldBe listOf("retry", "accept")
                verdicts("Sun, 06 Nov 1994 08:53:37 GMT", face) shouldBe listOf("reject")
                verdicts("Sun, 06 Nov 1994 08:45:36 GMT", face) shouldBe listOf("retry", "accept")
            }
        }

        test("without a quota there is none to tell of") {
            replayCall("""{"preset": "standard-2.1", "quota": null}""", """{"status": 200}""").map {
                it("quota")
            } shouldBe listOf(null)
        }

        test("a refused send permit is a line of its own, with the attempt that was not made") {
            val lines = replay(
                """{"policy": {"preset": "adaptive-2.1", "maxAttempts": 2, "onNoPermit": "fail"}, "draws": [0.5],
                "calls": [{"outcomes": [{"status": 429}, {"status": 200}]}, {"outcomes": [{"status": 200}]}]}""",
            )
            lines.map { it("reason") } shouldBe listOf(null, "rate-limited", "rate-limited")
            lines.map { it("attempt") } shouldBe listOf("1", "2", "1")
            lines.map { it("verdict") } shouldBe listOf("retry", null, null)
            lines.last()("quota") shouldBe "500"
        }

        test("under a send rate a line tells the rate, what was measured, and the wait for the permit, on every face") {
            val scenario = """{"policy": {"preset": "adaptive-2.1", "maxAttempts": 1}, "startAt": 0.25, "calls": [
                {"at": 0.25, "outcomes": [{"status": 200}]}, {"at": 1.25, "outcomes": [{"status": 429}]},
                {"at": 1.5, "outcomes": [{"status": 200}]}]}"""
            FACES.keys.forAll { face ->
                val lines = replay(scenario, face)
                fun column(name: String) = lines.map { it(name)?.toDouble()?.let { value -> round(value * 1e4) / 1e4 } }
                // As botocore computes it: 1.6/s measured, cut to 0.7 of it, and half a token saved up at 0.5/s.
                column("measuredRate") shouldBe listOf(0.0, 1.6, 1.92)
                column("sendRate") shouldBe listOf(null, 1.12, 1.5064)
                column("permitWaitMs") shouldBe listOf(0.0, 0.0, 196.4286)
                column("at") shouldBe listOf(0.25, 1.25, 1.6964)
            }
        }

        test("an outcome may be a cancellation, which ends the call") {
            val lines = replayCall(plain, """{"exception": "java.util.concurrent.CancellationException"}""")
            lines.map { it("reason") } shouldBe listOf("cancelled")
            lines.map { it("verdict") } shouldBe listOf(null)
        }

        test("times and delays add up exactly") {
            val outcome = Arb.element("500", "503", "429", "200", "404")
            val draw = Arb.int(0..1000).map { it / 1000.0 }
            val outcomeLists = Arb.list(outcome, 5..5)
            checkAll(200, Arb.list(draw, 1..5), outcomeLists, Arb.int(0..500)) { draws, said, quota ->
                val outcomes = said.joinToString { """{"status": $it, "takes": 0.0000007}""" }
                val lines = replay(
                    """{"policy": {"preset": "standard-2.1", "maxAttempts": 5}, "draws": $draws, "quota": $quota,
                    "calls": [{"outcomes": [$outcomes]}]}""",
                )
                lines.zipWithNext().forAll { (line, next) ->
                    val gap = BigDecimal(next("at")) - BigDecimal(line("at"))
                    val shown = BigDecimal(line("delayMs")).movePointLeft(3) + BigDecimal("0.0000007")
                    gap.compareTo(shown) shouldBe 0
                }
                lines.filter { it("decision") == "stop" } shouldHaveSize 1
            }
        }
    })
