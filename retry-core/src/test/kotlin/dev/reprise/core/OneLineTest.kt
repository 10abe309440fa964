package dev.reprise.core

import dev.reprise.core.classify.HttpOutcome
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldNotContain
import io.kotest.property.Arb
import io.kotest.property.arbitrary.string
import io.kotest.property.checkAll
import java.io.IOException

class OneLineTest :
    FunSpec({
        test("the query, the fragment and the password of a URL are left out") {
            oneLine("GET https://ann:pw@host/a?token=1&b=2 failed") shouldBe "GET https://host/a?... failed"
            oneLine("at http://h/p#access_token=x, again") shouldBe "at http://h/p?... again"
            oneLine("wss://h?sig") shouldBe "wss://h?..."
            oneLine("(https://a/b?c=d) and <https://e?f=g>") shouldBe "(https://a/b?...) and <https://e?...>"
            oneLine("GET /users?email=ann@example.org") shouldBe "GET /users?..."
        }

        test("text without a URL stays as it is, question marks and all") {
            oneLine("what? really? a=b user@host") shouldBe "what? really? a=b user@host"
        }

        test("nothing is left out where nothing is to be redacted") {
            oneLine("https://h/a?b=c", redact = false) shouldBe "https://h/a?b=c"
        }

        test("only the first line is shown, without control characters") {
            oneLine("\n  first\tpart\u001b[31m\nsecond") shouldBe "first part [31m"
        }

        test("a result is told as such, a response by its status and error code") {
            outcomeText(IOException("reset")) shouldBe "java.io.IOException: reset"
            outcomeText(null) shouldBe "result null"
            outcomeText(Response(503, null)) shouldBe "status 503"
            outcomeText(Response(400, "Throttling")) shouldBe "status 400 Throttling"
        }

        test("a toString that throws, answers null or never ends is no harm") {
            outcomeText(Text { throw IllegalStateException() }) shouldBe
                "result ${Text::class.java.name} whose text cannot be had"
            outcomeText(Text { throw StackOverflowError() }) shouldBe
                "result ${Text::class.java.name} whose text cannot be had"
            outcomeText(Text { null }) shouldBe "result null"
            outcomeText(Text { "x".repeat(10_000_000) }) shouldBe "result " + "x".repeat(LONGEST_LINE) + "..."
        }

        test("every text becomes one short line") {
            checkAll(Arb.string(0..500)) { text ->
                val line = oneLine(text)
                line.length shouldBeLessThanOrEqual LONGEST_LINE + 3
                line.lines().size shouldBe 1
                line.none { it.isISOControl() } shouldBe true
            }
        }

        test("whatever follows a URL's question mark does not get through") {
            checkAll(Arb.string(0..300)) { before ->
                val cut = before.filterNot { it.isISOControl() }
                oneLine("$cut https://host/path?secret=${"hunter2".repeat(9)}") shouldNotContain "hunter2"
            }
        }
    })

private class Response(override val status: Int, override val errorCode: String?) : HttpOutcome() {
    override fun header(name: String): String? = null
}

private class Text(private val text: () -> String?) {
    @Suppress("UNCHECKED_CAST")
    override fun toString(): String = (text as () -> String)()
}
