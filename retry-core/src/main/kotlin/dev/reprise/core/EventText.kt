package dev.reprise.core

import dev.reprise.core.RetryEvent.AttemptFailed
import dev.reprise.core.RetryEvent.AttemptStarted
import dev.reprise.core.RetryEvent.CallCancelled
import dev.reprise.core.RetryEvent.CallGaveUp
import dev.reprise.core.RetryEvent.CallStarted
import dev.reprise.core.RetryEvent.CallSucceeded
import dev.reprise.core.RetryEvent.HedgeRefused
import dev.reprise.core.RetryEvent.HedgeStarted
import dev.reprise.core.RetryEvent.HedgeWon
import dev.reprise.core.RetryEvent.PermitWaited
import dev.reprise.core.RetryEvent.QuotaRefunded
import dev.reprise.core.RetryEvent.QuotaRefused
import dev.reprise.core.RetryEvent.QuotaTaken
import dev.reprise.core.RetryEvent.RetryScheduled
import dev.reprise.core.RetryEvent.ServerDelayIgnored
import dev.reprise.core.RetryEvent.UnitJudged
import dev.reprise.core.shell.text.oneLine
import dev.reprise.core.shell.time.briefText

/** Events in words, as logs and failed tests show them; with [redact], without the secrets that URLs carry. */
internal class EventText(private val redact: Boolean) {
    fun of(event: RetryEvent): String = when (event) {
        is CallStarted -> "starts"

        is PermitWaited -> "waited ${briefText(event.waitNanos)} for a send permit"

        is AttemptStarted -> "attempt ${event.attempt} starts"

        is HedgeStarted -> "a copy of attempt 1 starts after ${briefText(event.delayNanos)}"

        is HedgeRefused -> "attempt 1 is slow and gets no copy: ${event.reason.word}"

        is HedgeWon -> "the copy of attempt 1 won"

        is AttemptFailed -> "attempt ${event.attempt} failed (${inWords(
            event.verdict,
        )}): ${whatOf(event.failure ?: event.result)}"

        is UnitJudged -> "attempt ${event.attempt} returned Unit, which is no result to judge"

        is ServerDelayIgnored -> "the header ${event.header.headerName} cannot be read and is ignored"

        is QuotaTaken -> "took ${event.tokens} quota tokens, ${event.available} left"

        is QuotaRefused -> "the quota refused ${event.tokens} tokens, ${refuser(event)}"

        is QuotaRefunded -> "gave back ${event.tokens} quota tokens, ${event.available} now"

        is RetryScheduled -> "attempt ${event.attempt + 1} follows in ${delayOf(event)}"

        is CallSucceeded -> "succeeded ${inAttempts(event.attempts, event.totalDelayNanos)}"

        is CallGaveUp -> "gave up ${inAttempts(event.attempts, event.totalDelayNanos)}, stopped: ${event.reason}" +
            event.detail?.let { " ($it)" }.orEmpty() + event.last?.let { ", last: ${whatOf(it)}" }.orEmpty() +
            event.advice?.let { ", $it" }.orEmpty()

        is CallCancelled -> "cancelled ${inAttempts(event.attempts, 0)}"
    }

    /** Names the owner of the tokens: the operation or the whole client. */
    private fun refuser(event: QuotaRefused): String = if (event.isOperationShare) {
        "the operation has ${event.operationAvailable} of the client's ${event.available}"
    } else {
        "it has ${event.available} of ${event.capacity}"
    }

    private fun inWords(verdict: Verdict): String = when (verdict) {
        Verdict.Accept -> "accepted"

        Verdict.Reject -> "not retryable"

        is Verdict.Retry ->
            verdict.kind.word + if (verdict.why == verdict.kind.word) "" else ": ${oneLine(verdict.why)}"
    }

    private fun whatOf(outcome: Any?): String = when (outcome) {
        is Throwable -> oneLine(outcome, redact)
        is HttpOutcome -> outcomeText(outcome)
        else -> oneLine(ResultNote.of(outcome))
    }

    private fun delayOf(event: RetryScheduled): String = listOfNotNull(
        "backoff ${briefText(event.backoffNanos)} of at most ${briefText(event.ceilingNanos)}",
        event.serverDelay?.let { "the server asks for ${briefText(it.nanos)}" },
        "cut".takeIf { event.isClamped },
    ).joinToString(prefix = "${briefText(event.delayNanos)} (", postfix = ")")

    private fun inAttempts(attempts: Int, delayNanos: Long): String = "in ${attemptsText(attempts)}" +
        if (delayNanos > 0) ", waited ${briefText(delayNanos)} between them" else ""
}
