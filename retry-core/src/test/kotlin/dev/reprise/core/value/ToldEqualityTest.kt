package dev.reprise.core.value

import dev.reprise.core.CallOptions
import dev.reprise.core.FailedAttempt
import dev.reprise.core.FailureKind
import dev.reprise.core.HedgeRefusal
import dev.reprise.core.Polling
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryOutcome
import dev.reprise.core.ServerDelay
import dev.reprise.core.ServerDelayHeader
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.core.shell.machine.Decision
import dev.reprise.core.shell.machine.RetryState
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.io.IOException
import kotlin.time.Duration
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds

private val OPERATIONS = listOf("a", "b", null)
private val TIMES = listOf(5L, 7L, -1L)
private val COUNTS = listOf(1, 2)
private val WAITS = listOf(0L, 5L)
private val FAILURES = listOf(IOException("a"), IOException("b"))
private val RESULTS = listOf("a", "b", null)
private val VERDICTS = listOf(Verdict.Reject, Verdict.TRANSIENT, Verdict.THROTTLING)

/** An event of [members], after the operation and the time that each event has. */
private fun event(name: String, vararg members: List<Any?>, make: Members.(source: RetryEvent.Source) -> RetryEvent) =
    ValueType(name, OPERATIONS, TIMES, *members) { make(RetryEvent.Source(1, null, next(), null, next())) }

/** What calls tell, while they run and when they have ended. */
internal val TOLD = listOf(
    event("CallStarted") { RetryEvent.CallStarted(it) },
    event("PermitWaited", WAITS) { RetryEvent.PermitWaited(it, next()) },
    event("AttemptStarted", COUNTS) { RetryEvent.AttemptStarted(it, next()) },
    event("AttemptFailed", COUNTS, FAILURES, listOf(null), VERDICTS) {
        RetryEvent.AttemptFailed(it, next(), next(), next(), next())
    },
    event("AttemptFailed by a result", COUNTS, listOf(null), RESULTS, VERDICTS) {
        RetryEvent.AttemptFailed(it, next(), next(), next(), next())
    },
    event("HedgeStarted", WAITS) { RetryEvent.HedgeStarted(it, next()) },
    event("HedgeRefused", HedgeRefusal.entries) { RetryEvent.HedgeRefused(it, next()) },
    event("HedgeWon") { RetryEvent.HedgeWon(it) },
    event("UnitJudged", COUNTS) { RetryEvent.UnitJudged(it, next()) },
    event("ServerDelayIgnored", ServerDelayHeader.entries) {
        RetryEvent.ServerDelayIgnored(it, next())
    },
    event("QuotaTaken", COUNTS, COUNTS, COUNTS) {
        RetryEvent.QuotaTaken(it, next(), next(), next())
    },
    event("QuotaRefused", COUNTS, COUNTS, COUNTS, listOf(1, 0)) {
        RetryEvent.QuotaRefused(it, next(), next(), next(), next())
    },
    event("QuotaRefunded", COUNTS, COUNTS, COUNTS) {
        RetryEvent.QuotaRefunded(it, next(), next(), next())
    },
    event(
        "RetryScheduled",
        COUNTS,
        FailureKind.entries,
        WAITS,
        WAITS,
        WAITS,
        listOf(null, ServerDelay.of(1.seconds)),
    ) { RetryEvent.RetryScheduled(it, next(), next(), next(), next(), next(), next()) },
    event("CallSucceeded", COUNTS, WAITS) { RetryEvent.CallSucceeded(it, next(), next()) },
    event("CallGaveUp", COUNTS, WAITS, StopReason.entries, WAITS) {
        RetryEvent.CallGaveUp(it, next(), next(), next(), next())
    },
    event("CallCancelled", COUNTS) { RetryEvent.CallCancelled(it, next()) },
    ValueType("Success", RESULTS, COUNTS, WAITS) { RetryOutcome.Success(next<String?>(), next(), next(), null) },
    ValueType("BadResult", RESULTS, COUNTS, WAITS, StopReason.entries) {
        RetryOutcome.BadResult(next<String?>(), next(), next(), next(), null, null)
    },
    ValueType("Failure", FAILURES, COUNTS, WAITS, StopReason.entries) {
        RetryOutcome.Failure(next(), next(), next(), next(), null)
    },
    ValueType("FailedAttempt", COUNTS, FAILURES, WAITS) { FailedAttempt(next(), next(), next()) },
    ValueType("GiveUp", StopReason.entries, WAITS, listOf(null) + FAILURES) { Decision.GiveUp(next(), next(), next()) },
    ValueType("RetryState", TIMES, listOf(CallOptions.DEFAULT, CallOptions("a")), WAITS, COUNTS, COUNTS) {
        val state = RetryState.first(next(), next()).next(next(), next())
        if (next<Int>() == 1) state else state.next(0, state.lastCost)
    },
    ValueType("Polling", listOf(1.seconds, 2.seconds), listOf(2.minutes, 1.minutes), listOf(2.seconds, 3.seconds)) {
        Polling.every(next<Duration>(), next<Duration>()).growingTo(next<Duration>())
    },
)

class ToldEqualityTest :
    FunSpec({
        for (type in TOLD) {
            test("${type.name}: equal if all members are, and in no other case; hash and text follow") {
                type.holdsItsWord()
            }
        }

        test("events of two calls, also of two retriers, are equal if they tell the same") {
            fun started(call: Long, retrier: String?) =
                RetryEvent.CallStarted(RetryEvent.Source(call, retrier, "a", null, at = 0))
            started(1, "users") shouldBe started(2, "orders")
        }
    })
