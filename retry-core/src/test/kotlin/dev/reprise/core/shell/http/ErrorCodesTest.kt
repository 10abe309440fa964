package dev.reprise.core.shell.http

import dev.reprise.core.Reply
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeInRange
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.byte
import io.kotest.property.arbitrary.byteArray
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.arbitrary.map
import io.kotest.property.arbitrary.string
import io.kotest.property.checkAll

class ErrorCodesTest :
    FunSpec({
        fun inBody(text: String) = ErrorCodes.ofBody(text.encodeToByteArray())

        test("a header's code is what stands between name space and URL") {
            ErrorCodes.ofHeader("ThrottlingException") shouldBe "ThrottlingException"
            ErrorCodes.ofHeader("com.amazon.coral#Throttling:http://a/b#c") shouldBe "Throttling"
            ErrorCodes.ofHeader(" SlowDown\t") shouldBe "SlowDown"
            ErrorCodes.ofHeader("400 Throttling") shouldBe "400 Throttling"
            for (value in listOf("", " ", ":x", "a#", "a#b#")) ErrorCodes.ofHeader(value) shouldBe null
        }

        test("a response's code is in its header, or in the body of a failure; a good body says none, nor a message") {
            fun response(status: Int, inHeader: String?) =
                Reply(status, headers = inHeader?.let { mapOf(ErrorCodes.HEADER to it) }.orEmpty())
            val body = """{"code": "Throttling", "message": "Rate exceeded"}""".encodeToByteArray()
            for (status in 100..599) {
                val isGood = status in 200..299
                ErrorCodes.of(response(status, "SlowDown"), body) shouldBe "SlowDown"
                ErrorCodes.of(response(status, ""), body) shouldBe "Throttling".takeIf { !isGood }
                ErrorCodes.of(response(status, null), body) shouldBe "Throttling".takeIf { !isGood }
                ErrorCodes.of(response(status, null), null) shouldBe null
                ErrorCodes.messageOf(response(status, null), body) shouldBe "Rate exceeded".takeIf { !isGood }
                ErrorCodes.messageOf(response(status, null), null) shouldBe null
            }
        }

        test("a code of more than 128 characters is none") {
            ErrorCodes.ofHeader("x".repeat(128)) shouldBe "x".repeat(128)
            ErrorCodes.ofHeader("x".repeat(129)) shouldBe null
        }

        test("a code with a character that could change the line or the metric it goes into is none") {
            for (char in listOf('\r', '\n', '\u001b', '\u0000', '\u007f', '\u0085', '\u2028', '\u202e', 'é')) {
                withClue(char.code) {
                    ErrorCodes.ofHeader("Slow${char}Down") shouldBe null
                    inBody("""{"code": "Slow${char}Down"}""") shouldBe null
                    inBody("<Code>Slow${char}Down</Code>") shouldBe null
                }
            }
        }

        test("a body's code is found in JSON and in XML, the rest of the body need not be there") {
            inBody(
                """{"__type": "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException", "mess""",
            ) shouldBe "ProvisionedThroughputExceededException"
            inBody("""{"message":"x","code" : "Throttling"}""") shouldBe "Throttling"
            inBody("""{"Error":{"Code":"SlowDown","Message":"y"}}""") shouldBe "SlowDown"
            inBody("<Error><Code>\n  SlowDown \n</Code><Message>no") shouldBe "SlowDown"
            inBody("""<Code>a</Code>{"code":"b"}""") shouldBe "b"
        }

        test("a body's message is found in JSON and in XML, as long as it is whole and not beyond 4 KiB") {
            fun message(text: String) = ErrorCodes.messageOfBody(text.encodeToByteArray())
            message("""{"__type":"X","message":"slow down"}""") shouldBe "slow down"
            message("""{"Message" : "Rate exceeded"}""") shouldBe "Rate exceeded"
            message("<Error><Code>a</Code><Message> b c </Message>") shouldBe "b c"
            message("""{"message":"${"x".repeat(4096)}"}""")?.length shouldBe 4096
            message("""{"message":"${"x".repeat(4097)}"}""") shouldBe null
            message("""{"message":"cut of""") shouldBe null
        }

        test("a message in JSON is what its escapes say; one with an escape that JSON does not know is passed over") {
            fun message(text: String) = ErrorCodes.messageOfBody(text.encodeToByteArray())
            message("""{"message":"Communications link failure\n\nThe last packet"}""") shouldBe
                "Communications link failure\n\nThe last packet"
            message("""{"message":"\"a\" \\\/\b\f\r\t\u00e9\u4E2d"}""") shouldBe "\"a\" \\/\b\u000c\r\t\u00e9\u4e2d"
            message("""{"message":"\\","Message":"b"}""") shouldBe "\\"
            for (bad in listOf("\\x", "\\u12g4", "\\u12", "\\é", "\\U0041", "\\u+123")) {
                withClue(bad) { message("""{"message":"a$bad","Message":"b"}""") shouldBe "b" }
            }
            for (cut in listOf("""{"message":"a\""", """{"message":"a\"""", """{"message":"\u00""")) {
                withClue(cut) { message(cut) shouldBe null }
            }
            checkAll(Arb.string(0..60)) { text ->
                val escaped = buildString { for (char in text) append("\\u%04x".format(char.code)) }
                message("""{"message":"$escaped"}""") shouldBe text.ifEmpty { null }
            }
        }

        test("what only resembles a code is passed over, and the search goes on behind it") {
            inBody("""{"code": 400, "Code": "b"}""") shouldBe "b"
            inBody("""{"code"code": "b"}""") shouldBe "b"
            inBody("""{"code": "a\u0062", "code": "b"}""") shouldBe "b"
            inBody("""{"code": "${"x".repeat(300)}", "code": "b"}""") shouldBe "b"
            inBody("<Code></Code><Code>  </Code><Code>a<b/></Code><Code>b</Code>") shouldBe "b"
            for (body in listOf(
                "",
                "\"code\"",
                "\"code\":",
                "\"code\":\"",
                "\"code\":\"a",
                "<Code>",
                "<Code>a",
                "<Code>a<",
            )) {
                withClue(body) { inBody(body) shouldBe null }
            }
        }

        test("only the first 64 KiB of a body are looked at") {
            fun behind(blanks: Int) = inBody(" ".repeat(blanks) + "<Code>a</Code>")
            behind(64 * 1024 - 14) shouldBe "a"
            behind(64 * 1024 - 13) shouldBe null
        }

        test("the search finds what a regular expression finds") {
            val pieces =
                listOf("\"code\"", "\"__type\"", "\"Code\"", "\"", ":", " ", "\n", "\\", "a", "b#c", "{") +
                    listOf("<Code>", "</Code>", "<")
            val inJson = Regex("\"(?:__type|code|Code)\"\\s*:\\s*\"([^\"\\\\]{1,256})\"")
            val inXml = Regex("<Code>\\s*([^<]{0,254}[^<\\s])\\s*</Code>")
            checkAll(20_000, Arb.list(Arb.element(pieces), 0..12).map { it.joinToString("") }) { text ->
                val found = inJson.find(text) ?: inXml.find(text)
                withClue(text) { inBody(text) shouldBe found?.let { ErrorCodes.ofHeader(it.groupValues[1]) } }
            }
        }

        test("whatever is in a header or a body, a code is printable and short") {
            fun shouldBeFit(code: String?) {
                if (code == null) return
                code.length shouldBeInRange 1..128
                code.all { it in ' '..'~' } shouldBe true
                code.trim() shouldBe code
            }
            checkAll(Arb.string(0..200)) { shouldBeFit(ErrorCodes.ofHeader(it)) }
            checkAll(Arb.byteArray(Arb.int(0..40), Arb.byte())) { bytes ->
                shouldBeFit(ErrorCodes.ofBody("{\"code\":\"".encodeToByteArray() + bytes + "\"}".encodeToByteArray()))
            }
        }
    })
