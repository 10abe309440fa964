package dev.reprise.core.shell.text

import dev.reprise.core.Reply
import dev.reprise.core.anyLineWithSecret
import dev.reprise.core.outcomeText
import io.kotest.assertions.withClue
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
        test("the query, the fragment and the password of a URL are left out, up to the next blank") {
            oneLine("GET https://ann:pw@host/a?token=1&b=2 failed") shouldBe "GET https://host/a?... failed"
            oneLine("at http://h/p#access_token=x, again") shouldBe "at http://h/p#... again"
            oneLine("wss://h?sig") shouldBe "wss://h?..."
            oneLine("(https://a/b?c=d) and <https://e?f=g>") shouldBe "(https://a/b?... and <https://e?..."
            oneLine("GET /users?email=ann@example.org") shouldBe "GET /users?..."
            oneLine("GET /reset?SECRET and /p#SECRET") shouldBe "GET /reset?... and /p#..."
            oneLine("https://h/a;jsessionid=1 https://h/a; b") shouldBe "https://h/a;... https://h/a; b"
            oneLine("https://h/a?b='c'(d)]\"e f") shouldBe "https://h/a?... f"
        }

        test("passwords are left out of other addresses and of broken ones, too") {
            oneLine("jdbc:oracle:thin:scott/tiger@//host:1521/orcl") shouldBe "jdbc:...@//host:1521/orcl"
            oneLine("connect to ann:pw@host:5432") shouldBe "connect to ann:...@host:5432"
            oneLine("https://ann:p/w@host/a") shouldBe "https://..."
            oneLine("https://ann:p?w@host/a") shouldBe "https://..."
            oneLine("https://ann:1/w@host/a") shouldBe "https://..."
            oneLine("https://proxy/https://ann:pw@host/a") shouldBe "https://proxy/https://host/a"
        }

        test("hosts and ports stay readable") {
            for (line in listOf(
                "failed: http://localhost:8080/a/b",
                "http://[::1]:8080, http://h:1.",
                "mongodb://a:27017,b:27017/db",
                "jdbc:postgresql://h:5432/db",
                "see (https://h:1) or \"https://h/\"",
            )) {
                oneLine(line) shouldBe line
            }
        }

        test("text without a URL stays as it is, question marks and all") {
            for (line in listOf(
                "what? really? a=b user@host",
                "insert into t values (?, ?, ?)",
                "List<?> and Map<?,?>, issue #12; next",
                "a.B\$C: d.E@1f2e",
            )) {
                oneLine(line) shouldBe line
            }
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
            outcomeText(Reply(503)) shouldBe "status 503"
            outcomeText(Reply(400, "Throttling")) shouldBe "status 400 Throttling"
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
                oneLine(text, redact = false, longest = 20).length shouldBeLessThanOrEqual 23
            }
        }

        test("no part of a URL that can be secret gets through, whatever stands around it") {
            checkAll(2_000, anyLineWithSecret) { (line, secret) ->
                withClue(line) { oneLine(line) shouldNotContain secret }
            }
        }
    })

private class Text(private val text: () -> String?) {
    @Suppress("UNCHECKED_CAST")
    override fun toString(): String = (text as () -> String)()
}
