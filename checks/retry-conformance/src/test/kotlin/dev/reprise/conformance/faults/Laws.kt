package dev.reprise.conformance.faults

import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.RetryEvent
import dev.reprise.core.StopReason
import kotlin.math.abs

/** What must hold when a call in [world] has [ended][end], and everything late has come. */
class Laws(private val world: World, private val end: End) {
    private val plan = world.plan
    private val saboteur = world.saboteur
    private val call = world.recorder.calls.singleOrNull()
    private val broken = mutableListOf<String>()

    /** The laws that are broken; none if all is well. */
    fun broken(): List<String> {
        endsOnce()
        tokensBalance()
        permitsBalance()
        resultsGoToOnePlace()
        nothingIsLeft()
        limitsDecide()
        setupIsKept()
        return broken
    }

    private fun law(name: String, holds: Boolean, facts: () -> Any?) {
        if (!holds) broken += "$name: ${facts()}"
    }

    private fun endsOnce() {
        if (!plan.isWatched) return
        val calls = world.recorder.calls
        // A clock that throws before the call has begun: then there is no call.
        if (calls.isEmpty() && end.thrown != null) {
            law("one end", world.blocks.get() == 0) { "attempts of a call that was never told" }
            return
        }
        law("one end", calls.size == 1) { "${calls.size} calls" }
        val call = call ?: return
        law("one end", runCatching { call.assertEndedOnce() }.isSuccess) { call }
        law("grammar", followsGrammar(call.events)) { call }
        if (saboteur.hasCancelled || saboteur.hasThrown || end.thrown == null) return
        law("only a cancellation is told as one", call.reason != StopReason.CANCELLED) { "${end.thrown}: $call" }
    }

    private fun followsGrammar(events: List<RetryEvent>): Boolean {
        val sentence = events.joinToString("") {
            when (it) {
                is RetryEvent.CallStarted -> "<"
                is RetryEvent.PermitWaited -> "p"
                is RetryEvent.AttemptStarted -> "a"
                is RetryEvent.HedgeStarted, is RetryEvent.HedgeRefused, is RetryEvent.HedgeWon -> "h"
                is RetryEvent.AttemptFailed -> "f"
                is RetryEvent.UnitJudged -> "u"
                is RetryEvent.ServerDelayIgnored -> "i"
                is RetryEvent.QuotaTaken, is RetryEvent.QuotaRefused, is RetryEvent.QuotaRefunded -> "q"
                is RetryEvent.RetryScheduled -> "r"
                is RetryEvent.CallSucceeded -> "S"
                is RetryEvent.CallGaveUp -> "G"
                is RetryEvent.CallCancelled -> "C"
            }
        }
        return GRAMMAR.matches(sentence)
    }

    /** What a retry cost that was not begun came back; what events say is what the quota says. */
    private fun tokensBalance() {
        if (plan.fault == Site.QUOTA) return
        val ledger = world.ledger
        law("a call succeeds once", ledger.successes <= 1) { "${ledger.successes} successes" }
        val begun = begun()
        val kept = ledger.taken - ledger.givenBack
        val expected = begun.flatMap { n -> copies().map { ((n - 1).coerceAtLeast(0) + it) * Ledger.COST } }
        law("retries not begun are given back", kept in expected) {
            "took ${ledger.taken}, gave back ${ledger.givenBack}, attempts begun $begun, copies ${copies()}, $call"
        }
        if (call != null) {
            law("quota by events", call.netTokens == ledger.taken - ledger.added) {
                "by events ${call.netTokens}, by counter ${ledger.taken - ledger.added}"
            }
        }
    }

    /** How many attempts began; of a call without listener, as far as can be told. */
    private fun begun(): Set<Int> {
        val blocks = world.blocks.get()
        if (call != null) return setOf((call.events.last() as? RetryEvent.CallCancelled)?.attempts ?: call.attempts)
        val mayLackBlock = plan.fault in BEFORE_BLOCK || plan.cancels || plan.deadline != null
        val begun = if (mayLackBlock) setOf(blocks, blocks + 1) else setOf(blocks)
        return if (plan.hedgeMillis == null) begun else begun + begun.map { it - 1 }
    }

    /** How many copies were sent; of a call without listener, as far as can be told. */
    private fun copies(): Set<Int> = when {
        plan.hedgeMillis == null -> setOf(0)
        call == null -> setOf(0, 1)
        else -> setOf(call.events.count { it is RetryEvent.HedgeStarted })
    }

    private fun permitsBalance() {
        val rate = world.rate ?: return
        val now = world.time.nanoTime()
        // Beyond what was granted the bucket only fills with time.
        val filled = (now - world.startedAt) / 1e9 * World.RATE.minFillRate
        val used = world.tokensAtStart + filled - rate.state.tokensAt(now)
        if (filled > 40 || (plan.fault == Site.CLOCK && call == null)) return
        val sent = begun().flatMap { n -> copies().map { n + it } }
        law("permits not used are given back", sent.any { abs(used - it) < 0.3 }) {
            "used $used, attempts begun ${begun()}, copies ${copies()}, $rate"
        }
    }

    private fun resultsGoToOnePlace() {
        if (plan.face.discards) {
            for (result in world.results.list) {
                law("a result goes to one place", result.delivered + result.discarded == 1) { result }
            }
        }
        law("a body is read or cancelled", end.openBodies() == 0) { "${end.openBodies()} open" }
    }

    private fun nothingIsLeft() {
        law("a timer runs no users' code", saboteur.ranOnTimer.isEmpty()) { saboteur.ranOnTimer }
        if (!saboteur.hasCancelled) law("no interrupt is left", !end.isInterrupted) { "interrupted: $end" }
        if (plan.face == FaceUnderFault.BLOCKING && saboteur.hasCancelled && !plan.limited && !world.hasSwallowed) {
            law("an interrupt is kept", end.isInterrupted || end.thrown is InterruptedException) {
                "not interrupted: $end"
            }
        }
    }

    /** The library's own limit decides what timed out, whatever the work does in answer. */
    private fun limitsDecide() {
        val limit = (plan.attemptTimeout ?: return) * Plan.MILLI
        val isUndisturbed =
            !saboteur.hasThrown && !saboteur.hasCancelled && plan.deadline == null && plan.fault != Site.STAGE_NULL
        if (call == null || !isUndisturbed || plan.face == FaceUnderFault.FLOW || copies() != setOf(0)) return
        for (number in 1..call.attempts) {
            val takes = plan.step(number).takesNanos
            if (takes == limit) continue
            val failed = call.events.filterIsInstance<RetryEvent.AttemptFailed>().firstOrNull { it.attempt == number }
            val timedOut = failed?.failure is AttemptTimeoutException
            law("the limit decides", timedOut == (takes > limit)) { "attempt $number took $takes: $call" }
        }
    }

    /** A call ends under the policy under which it began; a stream is never judged; a caller who is gone gets nothing. */
    private fun setupIsKept() {
        if (call?.reason == StopReason.ATTEMPTS) {
            law("a call keeps its setup", call.attempts == plan.maxAttempts) { call }
        }
        if (!plan.face.judges) law("a stream is not judged", world.judged.get() == 0) { world.judged }
        if (plan.isUnwanted) law("nothing begins for a caller who is gone", world.blocks.get() == 0) { world.blocks }
    }

    private companion object {
        /** Foreign code that runs between the begin of an attempt and its block. */
        val BEFORE_BLOCK = setOf(Site.TIMER, Site.EXECUTOR, Site.OWN_EXECUTOR, Site.QUESTION, Site.CLOCK)

        /** The grammar of `RetryEvent`, a letter for each event. */
        val GRAMMAR =
            Regex("<(p?a(q?h)*i*fq*r)*(p?a(q?h)*q*S|p?a(q?h)*i*fq*G|p?q*G|p?a(q?h)*q?C|p?a(q?h)*i*fq*C|p?q*C)")
    }
}

private val Plan.limited: Boolean get() = attemptTimeout != null || deadline != null
