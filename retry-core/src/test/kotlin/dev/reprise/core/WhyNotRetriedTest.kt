package dev.reprise.core

import dev.reprise.build.logged
import dev.reprise.core.shell.call.CallSetup
import dev.reprise.core.shell.call.NotRetried
import dev.reprise.core.shell.call.ResultKind
import dev.reprise.core.shell.call.Thrown
import dev.reprise.core.shell.http.HttpRepeats
import dev.reprise.core.shell.http.RepeatRule
import dev.reprise.core.shell.http.RetryReport
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.core.shell.text.WarningLog
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import java.io.File
import java.io.FileNotFoundException
import java.io.IOException
import java.net.ConnectException
import java.sql.SQLException

private open class Stale : RuntimeException()

private class Answered(status: Int) :
    IOException(),
    HttpFailure {
    override val http = Reply(status)
}

/** The lines that [block] logs about retriers whose names begin with `why`. */
private fun logged(block: () -> Unit): List<String> =
    logged(WarningLog.LOGGER, block).filter { it.message.startsWith("[why") }.map { "${it.level} ${it.message}" }

private fun fail(
    name: String?,
    failure: Throwable,
    policy: RetryPolicy = RetryPolicy.STANDARD,
    options: CallOptions = CallOptions.DEFAULT,
): RetryTrace? {
    val quota = RetryQuota(500, 500)
    val call = TestCall(CallSetup(policy, quota, null, emptyList(), { 0 }, { 1.0 }, name), options)
    while (!call.isOver) call.ends(failure)
    call.between()
    return call.outcome().trace
}

class WhyNotRetriedTest :
    FunSpec({
        test("a type that no rule names is told once for each retrier, with what to write") {
            val text = "dev.reprise.core.Stale is not retried: no rule of the policy names it. To retry it, write " +
                "retryOn<Stale>() in Kotlin, retryOn(Stale.class) in Java or retryOn in a document, or begin with " +
                "RetryPolicy.ANY_EXCEPTION. This is logged once."
            logged { repeat(3) { fail("why-a", Stale()) } } shouldContainExactly listOf("INFO [why-a] $text")
        }

        test("a line names ANY_EXCEPTION only for what that retries: it leaves programming mistakes alone") {
            val failures = listOf(Stale(), IllegalStateException(), NullPointerException(), IllegalArgumentException())
            for (failure in failures) {
                val line = logged { fail("why-any", failure) }.single()
                val isRetried = fail("why-any", failure, RetryPolicy.ANY_EXCEPTION)!!.attempts == 3
                ("ANY_EXCEPTION" in line) shouldBe isRetried
            }
        }

        test("the page shows these lines") {
            val failure = logged { fail("why-h", Stale()) }.single().substringAfter("] ")
            val call = logged {
                fail("why-h", IOException(), options = CallOptions { repeat = Repeat.IF_UNSENT })
            }.single().substringAfter("] ")
            val page = File("../docs/not-retried.md").readLines().filter { "is not retried:" in it }.joinToString("\n")
            page shouldContain failure.replace("dev.reprise.core.Stale", "com.acme.Stale")
                .replace("Stale", "StaleDataException")
            page shouldContain call.substringBefore(" If a repeat")
        }

        test("the page's rule for a status leaves the verdicts on all others as they are") {
            val rule = ErrorRule(FailureKind.TRANSIENT, Statuses.of(404))
            val policy = RetryPolicy.HTTP.with { classifyFirst(ErrorTable.HTTP.withFirst(rule)) }
            File("../docs/not-retried.md").readLines().single { "ErrorTable" in it } shouldContain
                "classifyFirst(ErrorTable.HTTP.withFirst(ErrorRule(FailureKind.TRANSIENT, Statuses.of(404))))"
            fun kind(policy: RetryPolicy, status: Int) = (policy.judge(Reply(status)) as? Verdict.Retry)?.kind
            kind(policy, 404) shouldBe FailureKind.TRANSIENT
            for (status in (200..599) - 404) kind(policy, status) shouldBe kind(RetryPolicy.HTTP, status)
        }

        test("what a rule names, an error, and a policy without retries tell nothing") {
            logged {
                fail("why-c", IOException())
                fail("why-c", FileNotFoundException())
                fail("why-c", AssertionError())
                fail("why-c", Stale(), RetryPolicy { rejectOn<Stale>() })
                fail("why-c", Stale(), RetryPolicy.ANY_EXCEPTION)
                fail("why-c", Stale(), RetryPolicy.NONE)
            }.shouldBeEmpty()
        }

        test("no more than a hundred lines are told, of however many types and retriers, and the last says so") {
            val told = mutableSetOf<String>()
            val operations = List(70) { "GET /$it" }
            fun tellAll(name: String) =
                logged { NotRetried(name, told).run { operations.forEach { notReplayable(it, "why") } } }
            tellAll("why-d").filter { it.endsWith("This is logged once.") }.size shouldBe 70
            val last = tellAll("why-e")
            last.size shouldBe 30
            last.filter { it.endsWith("This is the last of 100 such lines.") } shouldContainExactly listOf(last.last())
        }

        test(
            "retriers without a name tell each type once, and each operation once for each reason, also one without a name",
        ) {
            val told = mutableSetOf<String>()
            repeat(2) {
                NotRetried(retrier = null, told).run {
                    unnamed(IOException())
                    notReplayable(null, "its body is gone")
                    notReplayable("POST /pay", "its body is gone")
                    notReplayable("POST /pay", "it may have been done")
                }
            }
            told.map { it.substringBefore(". If").substringBefore(": no rule") } shouldContainExactlyInAnyOrder listOf(
                "java.io.IOException is not retried",
                "a call, such as a POST, is not retried: its body is gone",
                "POST /pay is not retried: its body is gone",
                "POST /pay is not retried: it may have been done",
            )
        }

        test("an exception that a classifier tells apart is told with that classifier") {
            class Deadlock : SQLException()

            val line = logged { fail("why-f", Deadlock()) }.single()
            line shouldContain "write classifyFirst(SqlErrors) in Kotlin or classifyFirst(SqlErrors.INSTANCE) in Java."
            line shouldNotContain "retryOn"
        }

        test(
            "a call that must not be repeated is told once for each operation, unless its caller said so, and the trace says why",
        ) {
            fun options(name: String, safety: Repeat) = CallOptions(name).with { repeat = safety }
            val pay = options("POST pay", Repeat.IF_UNSENT)
            var trace: RetryTrace? = null
            logged { repeat(2) { trace = fail("why-g", IOException(), options = pay) } } shouldContainExactly listOf(
                "INFO [why-g] POST pay is not retried: something may have been sent. If a repeat is safe, mark the " +
                    "request, or set repeat in the call's options. This is logged once.",
            )
            trace?.detail shouldBe "something may have been sent"
            logged { trace = fail("why-g", IOException(), options = options("PUT once", Repeat.NEVER)) }.shouldBeEmpty()
            trace?.detail shouldBe "its caller wants no repeat"
            logged {
                fail("why-g", ConnectException(), options = pay)
                fail("why-g", Stale(), RetryPolicy { rejectOn<Stale>() }, pay)
            }.shouldBeEmpty()
        }

        test("a call whose work is good for one attempt is told what a retry needs: a mark would change nothing") {
            val line = logged {
                val setup =
                    CallSetup(RetryPolicy.STANDARD, RetryQuota(500, 500), null, emptyList(), { 0 }, { 1.0 }, "why-i")
                val call = setup.begin(CallOptions("PUT pay"), ResultKind.VALUE)
                call.attemptStarts()
                call.failed(IOException(), Thrown.FAILURE).apply { repeats(mayRepeat = false) }.outcome()
            }.single()
            line shouldBe
                "INFO [why-i] PUT pay is not retried: its body or work is good for one attempt only. A retry needs " +
                "one that can be sent or done again. This is logged once."
        }

        test(
            "a request's trace and line tell apart its caller's word, its method, and its body, also where no failure lets it be repeated",
        ) {
            val rule = RepeatRule(emptySet())
            val never = CallOptions { repeat = Repeat.NEVER }
            val safe = CallOptions { repeat = Repeat.SAFE }
            val sent = "something may have been sent"
            val body = "its body or work is good for one attempt only"
            for (isUnproven in listOf(false, true)) {
                fun why(method: String, own: CallOptions?, isOneShot: Boolean): Pair<String?, Int> {
                    val name = CallOptions("$method $own $isOneShot $isUnproven")
                    val options = rule.optionsOf(own?.over(name) ?: name, method, isOneShot, isUnproven) { false }
                    var trace: RetryTrace? = null
                    val lines = logged { trace = fail("why-rule", IOException(), options = options) }
                    lines.forEach { it shouldContain "is not retried: ${trace?.detail}." }
                    return trace?.detail to lines.size
                }
                why("POST", null, isOneShot = false) shouldBe (sent to 1)
                why("POST", safe, isOneShot = true) shouldBe (body to 1)
                why("PUT", null, isOneShot = true) shouldBe (body to 1)
                why("PUT", never, isOneShot = true) shouldBe ("its caller wants no repeat" to 0)
            }
            fail(null, IOException(), options = HttpRepeats.once(null))?.detail shouldBe body
            fail(null, IOException(), options = HttpRepeats.once(never))?.detail shouldBe "its caller wants no repeat"
        }

        test("the trace names the rule that rejected") {
            fun detail(failure: Throwable, policy: RetryPolicy = RetryPolicy.STANDARD) =
                fail(null, failure, policy)?.detail
            detail(Stale()) shouldBe "no rule names dev.reprise.core.Stale"
            detail(Stale(), RetryPolicy { rejectOn<Stale>() }) shouldBe "a rule rejects dev.reprise.core.Stale"
            detail(object : Stale() {}, RetryPolicy { rejectOn<Stale>() }) shouldBe
                "a rule rejects dev.reprise.core.Stale"
            detail(IllegalArgumentException(), RetryPolicy.ANY_EXCEPTION) shouldBe
                "a rule rejects java.lang.IllegalArgumentException"
            detail(FileNotFoundException()) shouldBe "transport rejects java.io.FileNotFoundException"
            detail(Answered(404)) shouldBe "no rule retries status 404"
            detail(Stale(), RetryPolicy { onFailure { Verdict.Reject } }) shouldBe
                "a function of failures, or no rule names dev.reprise.core.Stale"
            detail(IOException()) shouldBe null
        }

        test("the trace of an exception does not name a function of results") {
            fail(null, Stale(), RetryPolicy { onResult { null } })?.detail shouldBe
                "no rule names dev.reprise.core.Stale"
        }

        test("a classifier of the user's own is asked once, also for the trace") {
            var asked = 0
            val policy = RetryPolicy {
                onFailure {
                    asked++
                    null
                }
            }
            fail(null, Stale(), policy)
            asked shouldBe 1
        }

        test("a refusal of the quota says what a retry costs and what is left") {
            val setup = CallSetup(RetryPolicy.STANDARD, RetryQuota(500, 13), null, emptyList(), { 0 }, { 1.0 })
            val call = setup.begin(CallOptions.DEFAULT, ResultKind.VALUE, asOutcome = true)
            call.attemptStarts()
            val trace = call.failed(IOException(), Thrown.FAILURE).repeated().outcome()!!.trace!!
            trace.message.lines().first() shouldBe
                "1 attempt, stopped: quota (a retry costs 14 tokens, 13 are left), waited 0s"
        }

        test("a report of a response says the rule that stopped it, as the trace does") {
            fun report(policy: RetryPolicy, status: Int, vararg headers: Pair<String, String>): String {
                val setup = CallSetup(policy, null, null, emptyList(), { 0 }, { 1.0 })
                val call = TestCall(setup, CallOptions.DEFAULT)
                while (!call.isOver) call.ends(Reply(status, headers = mapOf(*headers)))
                return "${RetryReport(call.outcome()!!)}"
            }
            report(RetryPolicy.HTTP, 404) shouldBe
                "1 attempt, stopped: rejected (no rule retries status 404), waited 0s"
            report(RetryPolicy.HTTP, 503, "retry-after" to "86400") shouldBe
                "1 attempt, stopped: rejected (the server asks for a longer wait than the policy follows), waited 0s"
        }
    })
