package dev.reprise.core

import dev.reprise.core.shell.http.Crc32Check
import dev.reprise.core.shell.http.ErrorBody
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import java.io.IOException
import java.net.MalformedURLException
import java.net.URISyntaxException
import java.net.UnknownServiceException
import java.nio.channels.UnresolvedAddressException
import java.security.cert.CertificateException
import java.util.zip.CRC32
import java.util.zip.DataFormatException
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.nanoseconds
import kotlin.time.Duration.Companion.seconds

private class Bare : HttpOutcome() {
    override val status: Int get() = 503

    override fun header(name: String): String? = null
}

/** [depth] exceptions around [innermost]. */
private fun wrapped(innermost: Throwable, depth: Int): Throwable =
    (1..depth).fold(innermost) { cause, _ -> RuntimeException(cause) }

private fun isUnsent(failure: Throwable) = (EngineErrors.classifyFailure(failure) as? Verdict.Retry)?.unsent == true

/** What classifiers do at the ends of their ranges, and what they say of themselves. */
class ClassifierEdgesTest :
    FunSpec({
        val slow = Verdict.THROTTLING

        test("ten exceptions are looked at, and not the eleventh; of a circle none twice too often") {
            val classifiers = mapOf(
                CertificateException() to EngineErrors,
                DataFormatException() to EngineErrors,
                IOException("reset") to TransportErrors,
                ReplyException(Reply(503)) to ErrorTable.STANDARD,
            )
            for ((failure, classifier) in classifiers) {
                withClue("$classifier") {
                    classifier.classifyFailure(failure) shouldBe classifier.classifyFailure(wrapped(failure, 9))
                    classifier.classifyFailure(wrapped(failure, 10)) shouldBe null
                }
            }
            val circle = RuntimeException()
            circle.initCause(RuntimeException(circle))
            for (each in classifiers.values + RetryPolicy.STANDARD_CLASSIFIER) {
                each.classifyFailure(circle) shouldBe
                    null
            }
        }

        test("what engines throw, by name, by message, and no other") {
            fun why(failure: Throwable) =
                (EngineErrors.classifyFailure(failure) as Verdict.Retry?)?.run { why to unsent }

            why(DataFormatException()) shouldBe ("unreadable response" to false)
            why(IOException("stream was reset: REFUSED_STREAM")) shouldBe ("refused stream" to true)
            why(IOException("too many concurrent streams")) shouldBe ("refused stream" to true)
            why(IllegalStateException("Content-Length mismatch: expected 5")) shouldBe ("body ended early" to false)
            why(IllegalArgumentException("Illegal digit 'x'")) shouldBe ("unreadable response" to false)
            why(RuntimeException("Illegal digit 'x'")) shouldBe null
            why(IllegalArgumentException("Status code '-1' should be a three-digit positive integer")) shouldBe
                ("unreadable response" to false)
            why(IllegalStateException()) shouldBe null
        }

        test("a tunnel that a proxy refuses is tried again unless its status says that it will be refused again") {
            fun verdict(failure: Throwable) = EngineErrors.classifyFailure(failure)

            val refusals = listOf<(String) -> Exception>(
                { IOException("Tunnel failed, got: $it") },
                { IOException("Unable to tunnel through proxy. Proxy returns \"HTTP/1.1 $it x\"") },
                { IOException("Unexpected response code for CONNECT: $it") },
                { IOException("CONNECT refused by proxy: HTTP/1.1 $it x") },
                {
                    RuntimeException(
                        "Unexpected HttpResponse[HTTP/1.1 $it x]@7f3c for HttpRequest[CONNECT a:443 HTTP/1.1]@1",
                    )
                },
                {
                    RuntimeException(
                        "Unexpected HttpResponse[HTTP/1.1 $it x]@7f3c for TunnelRequest[CONNECT a:443 HTTP/1.1]@1",
                    )
                },
            )
            for (refused in refusals) {
                for (status in listOf("302", "400", "403", "407", "501")) {
                    verdict(refused(status)) shouldBe
                        Verdict.Reject
                }
                for (status in listOf("408", "429", "500", "502", "503")) {
                    (verdict(refused(status)) as Verdict.Retry).unsent shouldBe true
                }
            }
            (verdict(IOException("Can not establish tunnel connection")) as Verdict.Retry).unsent shouldBe true
        }

        test("a response that the client will refuse again is final") {
            for (text in listOf(
                "Invalid redirection",
                "Invalid redirect URI: http://[",
                "Redirect URI does not specify a valid host name: http:///",
                "Unroutable protocol scheme: ftp://host",
                "unexpected content length header with 204 response",
                "HTTP 204 had non-zero Content-Length: 5",
            )) {
                EngineErrors.classifyFailure(IOException(IOException(text))) shouldBe Verdict.Reject
            }
            EngineErrors.classifyFailure(MalformedURLException("Invalid authority field: [")) shouldBe Verdict.Reject
        }

        test("a mistake that an I/O error wraps is final; what came from outside and cannot be used is none") {
            for (mistake in listOf(
                IllegalArgumentException("Invalid scheme [ftp]"),
                URISyntaxException("/a b", "Illegal"),
            )) {
                EngineErrors.classifyFailure(wrapped(IOException(mistake), 2)) shouldBe Verdict.Reject
            }
            for (other in listOf(NumberFormatException("x"), UnresolvedAddressException(), IllegalStateException())) {
                EngineErrors.classifyFailure(IOException(other)) shouldBe null
            }
            (
                EngineErrors.classifyFailure(
                    IOException(IllegalArgumentException("Illegal digit")),
                ) is Verdict.Retry
                ) shouldBe
                true
            EngineErrors.classifyFailure(IllegalArgumentException("of the caller's own")) shouldBe null
        }

        test("the end of a client that a server asked for another request too often is final") {
            for (text in listOf(
                "Too many follow-up requests: 21",
                "Too many tunnel connections attempted: 21",
                "Failed to authenticate with proxy",
                "Received HTTP_PROXY_AUTH (407) code while not using proxy",
                "Server redirected too many  times (20)",
                "too many authentication attempts. Limit: 3",
                "No credentials provided",
                "WWW-Authenticate header missing for response code 401",
                "Proxy-Authenticate header missing for response code 407",
                "No server host: localhost in the server certificate.",
            )) {
                withClue(text) {
                    EngineErrors.classifyFailure(wrapped(IOException(text), 2)) shouldBe Verdict.Reject
                    EngineErrors.classifyFailure(RuntimeException(text)) shouldBe null
                }
            }
            EngineErrors.classifyFailure(IOException("unexpected end of stream")) shouldBe null
            EngineErrors.classifyFailure(wrapped(UnknownServiceException("CLEARTEXT"), 2)) shouldBe Verdict.Reject
        }

        test("the engines' rules stand right before the transport's, wherever those are") {
            fun parts(vararg classifiers: Classifier) =
                Classifier.partsOf(EngineErrors.addedTo(Classifier.firstOf(*classifiers)))

            val table = ErrorTable.STANDARD
            parts(TransportErrors, table) shouldBe listOf(EngineErrors, TransportErrors, table)
            parts(table, TransportErrors) shouldBe listOf(table, EngineErrors, TransportErrors)
            parts(table, SelfClassifier) shouldHaveSize 2
            parts(TransportErrors, EngineErrors) shouldBe listOf(TransportErrors, EngineErrors)
        }

        test("a table asks for codes of good responses only if a row names a good status") {
            val bad = ErrorTable(ErrorRule(FailureKind.THROTTLING, setOf("SlowDown")))
            val good = bad.withFirst(ErrorRule(FailureKind.TRANSIENT, statuses = Statuses.of(299)))
            val codes = ErrorRule(FailureKind.THROTTLING, setOf("SlowDown"))
            for (status in listOf(200, 299)) bad.classifyResult(Reply(status, "SlowDown")) shouldBe null
            for (status in listOf(199, 300, 399, 400)) {
                (bad.classifyResult(Reply(status, "SlowDown")) as Verdict.Retry).kind shouldBe slow.kind
            }
            (good.classifyResult(Reply(200, "SlowDown")) as Verdict.Retry).kind shouldBe slow.kind
            ErrorTable(codes, ErrorRule(FailureKind.TRANSIENT, statuses = Statuses.of(300)))
                .classifyResult(Reply(200, "SlowDown")) shouldBe null
            bad.classifyResult(Reply(399)) shouldBe null
            bad.classifyResult(Reply(400)) shouldBe Verdict.Reject
        }

        test("the code of a failure's response counts though its status is good, carried or read: S3 has such errors") {
            val table = ErrorTable.STANDARD
            val reader = object : ResponseReader {
                override fun responseOf(failure: Throwable): HttpOutcome? = Reply(200, failure.message)

                override val resultScope: ResultScope get() = ResultScope.NONE
            }
            val read = Classifier.firstOf(reader, table)
            val kinds = mapOf("InternalError" to FailureKind.TRANSIENT, "SlowDown" to FailureKind.THROTTLING)
            for ((code, kind) in kinds) {
                table.classifyResult(Reply(200, code)) shouldBe null
                (table.classifyFailure(ReplyException(Reply(200, code))) as Verdict.Retry).kind shouldBe kind
                (read.classifyFailure(IllegalStateException(code)) as Verdict.Retry).kind shouldBe kind
            }
            for (code in listOf("AccessDenied", null)) {
                table.classifyFailure(ReplyException(Reply(200, code))) shouldBe null
                read.classifyFailure(IllegalStateException(code)) shouldBe null
            }
        }

        test("the error code and message of a body are read up to their bounds, in JSON and in XML") {
            for ((most, read) in mapOf<Int, (ByteArray) -> String?>(
                256 to { ErrorBody(it).code() },
                4096 to { ErrorBody(it).message() },
            )) {
                val name = if (most == 256) "code" else "message"
                val element = if (most == 256) "Code" else "Message"
                for (length in listOf(1, most - 1, most, most + 1)) {
                    val text = "x".repeat(length)
                    val found = text.takeIf { length <= most }
                    withClue("$name of $length") {
                        read("{\"$name\" :\t\"$text\"".encodeToByteArray()) shouldBe found
                        read("<e><$element>\r\n $text \t</$element>".encodeToByteArray()) shouldBe found
                        read("{\"$name\": \"$text".encodeToByteArray()) shouldBe null
                        read("<$element>$text".encodeToByteArray()) shouldBe null
                    }
                }
                read("<$element> </$element>".encodeToByteArray()) shouldBe null
                read("{\"$name\": \"\"}".encodeToByteArray()) shouldBe null
            }
            for (blank in listOf(' ', '\t', '\n', '\u000B', '\u000C', '\r')) {
                ErrorBody("{\"code\":$blank\"A\"}".encodeToByteArray()).code() shouldBe "A"
            }
            for (other in listOf('\b', '\u000E', '.')) {
                ErrorBody("{\"code\":$other\"A\"}".encodeToByteArray()).code() shouldBe null
            }
        }

        test("a checksum is a number of digits, and nothing else is one") {
            val body = "{}".encodeToByteArray()
            val sum = CRC32().apply { update(body) }.value
            val check = Crc32Check()

            fun verdict(header: String?, bytes: ByteArray? = body) = check.classifyResult(
                Reply(200, headers = header?.let { mapOf("x-amz-crc32" to it) }.orEmpty(), body = bytes),
            )

            verdict("$sum") shouldBe null
            verdict(" $sum ") shouldBe null
            for (digit in '0'..'9') (verdict("$digit") as Verdict.Retry).why shouldBe "crc32 mismatch"
            for (header in listOf(null, "", "1a", "/1", ":1", "-1", "+1", "1.0")) verdict(header) shouldBe null
            verdict("1", bytes = null) shouldBe null
            check.classifyFailure(
                ReplyException(Reply(200, headers = mapOf("x-amz-crc32" to "1"), body = body)),
            ) shouldBe verdict("1")
        }

        test("a response that says nothing has no code, no message, no body and no time") {
            Bare().run { listOf(errorCode, errorMessage, body) } shouldBe listOf(null, null, null)
            Bare().receivedAtEpochMillis shouldBe HttpOutcome.UNKNOWN_TIME
        }

        test("a delay of exactly the cap is waited, one ns more is given up, or cut") {
            val most = ServerDelayBound.atLeast(2.seconds)
            most.delayNanos(0, 2_000_000_000) shouldBe 2_000_000_000
            most.delayNanos(0, 2_000_000_001) shouldBe -1
            ServerDelayBound.atMost(2.seconds).delayNanos(0, 2_000_000_001) shouldBe 2_000_000_000
            ServerDelayBound.add(0.seconds).delayNanos(7, 5) shouldBe 7
            ServerDelayBound.clamp(0.seconds).delayNanos(7, 9) shouldBe 7
        }

        test(
            "the header that AWS SDK for JavaScript v2 reads with parseInt has a sign, and is absent if it is not there",
        ) {
            fun read(value: String?) = ServerDelayHeader.RETRY_AFTER_PARSE_INT
                .read(Reply(503, headers = value?.let { mapOf("retry-after" to it) }.orEmpty()))

            listOf("3 s", "-3", "x").map(::read) shouldBe
                listOf(3_000_000_000, -3_000_000_000, ServerDelayHeader.UNREADABLE)
            read(null) shouldBe ServerDelayHeader.ABSENT
        }

        test("rules say what they retry, and how") {
            "${ErrorRule(FailureKind.TRANSIENT, setOf("A"), message = "slow")}" shouldBe
                "retries code A and \"slow\" in the message"
            ErrorRule(null, Statuses.of(404)) shouldBe ErrorRule(null, statuses = Statuses.of(404))
            "${ExceptionRule(FailureKind.TIMEOUT, setOf("a.B"), "m", unsent = true)}" shouldBe
                "retries a.B with \"m\" in the message as timeout, as not sent"
        }

        test("each says of itself what it is") {
            mapOf(
                SelfClassifier to "self",
                TransportErrors to "transport",
                EngineErrors to "http engines",
                SqlErrors to "sql",
                Crc32Check() to "crc32 of x-amz-crc32",
                Verdict.Accept to "Accept",
                Verdict.Reject to "Reject",
                Verdict.TIMEOUT to "Retry(transient: timeout)",
                Verdict.Retry(
                    FailureKind.TRANSIENT,
                    "reset",
                    unsent = true,
                ).withServerDelay(ServerDelay.of(2.seconds)) to "Retry(transient: reset, unsent, server asks for 2s)",
                ServerDelay.of(5.milliseconds) to "server asks for 5ms",
                ServerDelayBound.atLeast(1.seconds) to "at least, giving up beyond 1s",
                ServerDelayBound.atMost(1.seconds) to "at least, at most 1s",
                ServerDelayBound.add(1.nanoseconds) to "added to the backoff, at most 1ns",
            ).forEach { (value, text) -> "$value" shouldBe text }
        }

        test("a stream that the server refused was not processed, whoever says so and however deep") {
            val refusals = listOf(
                "stream was reset: REFUSED_STREAM",
                "Received RST_STREAM: Stream not processed",
                "request not processed by peer",
            )
            for (text in refusals) {
                isUnsent(IOException(text)) shouldBe true
                isUnsent(RuntimeException(IOException("wrapped", IOException(text)))) shouldBe true
            }
        }

        test("a stream that was reset for another reason may have been processed") {
            for (text in listOf(
                "stream was reset: CANCEL",
                "stream was reset: INTERNAL_ERROR",
                "Received RST_STREAM: Stream cancelled",
            )) {
                isUnsent(IOException(text)) shouldBe false
            }
            isUnsent(IllegalStateException("stream was reset: REFUSED_STREAM")) shouldBe false
        }
    })
