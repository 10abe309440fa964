package dev.reprise.core

import dev.reprise.core.shell.call.CallSetup
import dev.reprise.core.shell.quota.RetryQuota
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldMatch
import java.io.IOException
import java.lang.System.Logger.Level
import java.util.concurrent.CancellationException
import kotlin.io.path.Path
import kotlin.io.path.readText

class LoggingListenerTest :
    FunSpec({
        fun log(
            vararg outcomes: () -> Any?,
            quota: RetryQuota? = RetryQuota(500),
            least: Level = Level.TRACE,
            redact: Boolean = true,
        ): List<String> {
            val logger = ListLogger(least)
            Shell(listeners = listOf(logging(logger, redact)), quota = quota).run(*outcomes)
            return logger.lines.map { it.replace(Regex("#[0-9]+: "), "") }
        }

        test("a call that succeeds after a retry is told line by line") {
            log({ throw IOException("reset by https://h/a?token=1\nsecond line") }, { 1 }) shouldContainExactly listOf(
                "TRACE starts",
                "TRACE attempt 1 starts",
                "DEBUG attempt 1 failed (transient: transport error): java.io.IOException: reset by https://h/a?...",
                "TRACE took 14 quota tokens, 486 left",
                "DEBUG attempt 2 follows in 50ms (backoff 50ms of at most 50ms)",
                "TRACE attempt 2 starts",
                "TRACE gave back 14 quota tokens, 500 now",
                "INFO succeeded in 2 attempts, waited 50ms between them",
            )
        }

        test("giving up is a warning, which names the reason") {
            log({ throw IOException() }, least = Level.WARNING) shouldContainExactly
                listOf(
                    "WARNING gave up in 3 attempts, waited 150ms between them, stopped: attempts, last: java.io.IOException",
                )
            log({
                throw IOException()
            }, least = Level.DEBUG, quota = RetryQuota(500, 3)).takeLast(2) shouldContainExactly
                listOf(
                    "DEBUG the quota refused 14 tokens, it has 3 of 500",
                    "WARNING gave up in 1 attempt, stopped: quota (a retry costs 14 tokens, 3 are left), last: java.io.IOException",
                )
        }

        test("a first attempt that is rejected is no warning: that is no matter of retries") {
            log({ Answer(404, emptyMap()) }, least = Level.INFO) shouldContainExactly emptyList()
            val logger = ListLogger(Level.DEBUG)
            val shell = Shell(RetryPolicy { rejectOn(IOException::class.java) }, listOf(logging(logger)))
            shell.run({ throw IOException("no") })
            logger.lines.map {
                it.substringBefore(' ') to it.replace(Regex("^[A-Z]+ #[0-9]+: "), "")
            } shouldContainExactly
                listOf(
                    "DEBUG" to "attempt 1 failed (not retryable): java.io.IOException: no",
                    "DEBUG" to
                        "gave up in 1 attempt, stopped: rejected (a rule rejects java.io.IOException), last: java.io.IOException: no",
                )
        }

        test("of a response neither headers nor body are shown, and a wish is shown with what became of it") {
            val answer = Answer(503, mapOf("x-amz-retry-after" to "60000"))
            log({ answer }, { 1 }, least = Level.DEBUG).take(2) shouldContainExactly listOf(
                "DEBUG attempt 1 failed (transient: status 500,502,503,504): status 503",
                "DEBUG attempt 2 follows in 5.05s (backoff 50ms of at most 50ms, the server asks for 60s, cut)",
            )
            log({
                Answer(503, mapOf("x-amz-retry-after" to "secret"))
            }, { 1 }, least = Level.DEBUG).take(2) shouldContainExactly listOf(
                "DEBUG the header x-amz-retry-after cannot be read and is ignored",
                "DEBUG attempt 1 failed (transient: status 500,502,503,504): status 503",
            )
        }

        test("the log on the page is that of a call which is throttled once") {
            val page = Path("../docs/observability.md").readText().lines().filter { "[users-api] users.get" in it }
            log({ Answer(429, mapOf("x-amz-retry-after" to "60000")) }, { 1 }, least = Level.DEBUG) shouldContainExactly
                page.map { it.replace("[users-api] users.get #17: ", "") }
        }

        test("an application that wants the queries can have them") {
            log({ throw IOException("http://h/a?b=c") }, { 1 }, redact = false)[2] shouldBe
                "DEBUG attempt 1 failed (transient: transport error): java.io.IOException: http://h/a?b=c"
        }

        test("lines of one call share a number, after the operation's name") {
            val logger = ListLogger()
            val shell = Shell(listeners = listOf(logging(logger)))
            shell.begin(CallOptions("users.get\nforged line")).broke(CancellationException())
            logger.lines.first() shouldMatch "TRACE users.get #[0-9]+: starts"
            logger.lines.last() shouldBe
                logger.lines.first().replace("TRACE", "DEBUG").replace("starts", "cancelled in 0 attempts")
        }

        test("lines of a retrier with a name begin with it") {
            val logger = ListLogger(Level.INFO)
            val listeners = listOf(logging(logger))
            val setup = CallSetup(RetryPolicy.STANDARD, null, null, listeners, { 0 }, { 1.0 }, "users\nforged")
            val call = TestCall(setup, CallOptions("get"))
            call.ends(IOException())
            call.ends(1)
            logger.lines.single() shouldMatch
                "INFO \\[users] get #[0-9]+: succeeded in 2 attempts, waited 50ms between them"
        }

        test("nothing is built for a level that is off") {
            val never = object : IOException() {
                override fun toString(): String = error("asked for its text")
            }
            log({ throw never }, { 1 }, least = Level.INFO) shouldContainExactly
                listOf("INFO succeeded in 2 attempts, waited 50ms between them")
        }
    })

private class Answer(override val status: Int, private val headers: Map<String, String>) : HttpOutcome() {
    override fun header(name: String): String? = headers[name]

    override fun toString(): String = "headers and all: $headers"
}
