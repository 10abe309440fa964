package dev.reprise.core.shell.http

import dev.reprise.core.RetryOutcome
import dev.reprise.core.StopReason
import dev.reprise.core.shell.layers.GiveUpMark
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import kotlin.time.Duration.Companion.milliseconds

class RetryReportTest :
    FunSpec({
        val mark = GiveUpMark(tick = 1, place = null)
        val outcome = RetryOutcome.BadResult(
            "busy",
            3,
            150_000_000,
            StopReason.ATTEMPTS,
            trace = null,
            failure = null,
            mark,
        )

        test("a report says what the call's outcome says") {
            val report = RetryReport(outcome)
            report.attempts shouldBe 3
            report.requests shouldBe 3
            report.totalDelay shouldBe 150.milliseconds
            report.reason shouldBe StopReason.ATTEMPTS
            report.trace.shouldBeNull()
            report.giveUpMark shouldBeSameInstanceAs mark
            report.suppressed shouldBeSameInstanceAs mark
            "$report" shouldBe "3 attempts, stopped: attempts, waited 150ms"
        }

        test("requests may be more than attempts") {
            RetryReport(outcome, requests = 5).let { it.attempts to it.requests } shouldBe (3 to 5)
            RetryReport.firstTry(requests = 2).let { it.attempts to it.requests } shouldBe (1 to 2)
        }

        test("a first try has no wait, no trace and no mark") {
            val report = RetryReport.FIRST_TRY
            report.requests shouldBe 1
            report.totalDelay shouldBe 0.milliseconds
            report.suppressed.shouldBeNull()
            report.giveUpMark.shouldBeNull()
        }
    })
