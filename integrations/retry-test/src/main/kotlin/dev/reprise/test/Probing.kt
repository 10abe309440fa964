package dev.reprise.test

import dev.reprise.test.Finding.Kind

/** Probes [subject] with calls that fail with [failure], and more than [cap] of which are too many. */
internal class Probing(private val subject: Subject, private val failure: () -> Throwable, private val cap: Int) {
    private val name = failure().javaClass.simpleName

    /** The defects that were found so far. */
    val found = mutableListOf<Finding>()

    /** Looks for a defect of [kind]: work that must not be repeated is. */
    fun doesNotRepeat(kind: Kind) {
        val run = trial().run { failure() }
        if (run.calls > 1 || run.continues) found += Finding(kind, "failed with $name: ${run.text}")
    }

    /** Looks for the defects of work that may be repeated. */
    fun repeats() {
        val once = trial().run { if (it == 1) failure() else null }
        if (once.result.isFailure) found += Finding(Kind.NO_RETRY, "failed once with $name: ${once.text}")
        val twice = trial().run { if (it <= 2) failure() else null }
        addMissingDelay(twice, "twice with $name") { trial().run { if (it <= 2) failure() else null } }

        val always = trial()
        val first = always.run { failure() }
        addMissingDelay(first, "always with $name") { trial().run { failure() } }
        if (first.isRunaway) {
            found += Finding(Kind.MISSING_CAP, "failed always with $name: ${first.text}")
            return
        }
        if (!first.threw(failure().javaClass)) {
            found += Finding(Kind.LOST_FAILURE, "failed always with $name: ${first.text}")
        }
        val isFixed = resetsItself(always, first)
        if (first.result.isFailure) forgets()
        keepsApart(once, first, isFixed)
        endsWhenCancelled(first)
    }

    /**
     * Reports a delay that is missing in [run] and in most of the runs that follow. A drawn wait in real time may be
     * too short to be told from none, and a busy machine may put time between two calls that do not wait: each in
     * a few runs only.
     */
    private fun addMissingDelay(run: Run, what: String, again: () -> Run) {
        if (run.undelayed.isNotEmpty()) {
            val others = List(SAMPLES) { again().undelayed }
            if (run.undelayed.any { gap -> others.count { gap in it } > SAMPLES / 2 }) {
                found += Finding(Kind.MISSING_DELAY, "failed $what: ${run.text}")
            }
        }
        if (run.continues) found += Finding(Kind.REPEATED_AFTER_CANCELLATION, "failed $what: ${run.text}")
    }

    /**
     * Checks that one call does not change the next one. Drawn or real waits are never alike, but must not grow from
     * call to call. Returns whether the waits are known to be fixed.
     */
    private fun resetsItself(always: Trial, first: Run): Boolean {
        val second = always.run { failure() }
        if (second.isLike(first)) return first.gaps.none { it.realWait > 0 }
        val later = listOf(second) + List(SAMPLES + 2) { always.run { failure() } }
        if (grow(listOf(first) + later) || later.all { it.calls != first.calls }) {
            val text = "failed always with $name, twice: gaps ${first.gaps}, then ${second.gaps}"
            found += Finding(Kind.STATE_NOT_RESET, text)
        }
        return false
    }

    /**
     * Whether the waits of [runs] grow from one to the next, but for one run at most that a busy machine made longer. Of ten sound calls
     * whose waits are drawn, one in eighty thousand is in such an order by chance.
     */
    private fun grow(runs: List<Run>): Boolean {
        val longer = runs.indices.find { it < runs.lastIndex && runs[it].isLongerThan(runs[it + 1]) }
        val others = runs.filterIndexed { i, _ -> i != longer }
        return others.drop(1).all { it.isLongerThan(others[0]) } &&
            others.zipWithNext().none { (a, b) -> a.isLongerThan(b) }
    }

    /** Checks that a call that always fails does not return what one before it got. One that makes no call has a cache. */
    private fun forgets() {
        val after = trial().also { it.run { null } }.run { failure() }
        if (after.calls > 0 && after.result.isSuccess) {
            found += Finding(Kind.STATE_NOT_RESET, "succeeded, then failed always with $name: ${after.text}")
        }
    }

    /** Checks that one call does not change another one at the same time. */
    private fun keepsApart(once: Run, first: Run, isFixed: Boolean) {
        val alone = trial().run(tellsApart = true) { failure() }
        val values = trial().let { one -> List(2) { one.run(tellsApart = true) { null }.result.getOrNull() } }
        for (meeting in Meeting.of(first)) {
            val made = mutableListOf<Throwable>()
            val failed = trial().runTwice(meeting) { failure().also { synchronized(made) { made += it } } }
            if (!failed.areBoth) return
            val isMixed = when {
                failed.calls != alone.calls * 2 ->
                    "${failed.calls} calls together, where one alone makes ${alone.calls}"

                failed.share(made) -> "both threw the same failure"

                isFixed && !failed.waitAs(alone) -> "other waits than alone, which are ${alone.gaps}"

                else -> null
            }
            if (isMixed != null) {
                found += Finding(Kind.SHARED_STATE, "two at once failed always with $name: $isMixed")
                return
            }
            if (once.result.isFailure) continue
            val done = trial().runTwice(meeting) { if (it <= 2) failure() else null }
            val isOneValue = done.areDone && done.values[0] == done.values[1] && values[0] != values[1]
            if (isOneValue || (done.areDone && done.calls != once.calls * 2)) {
                val text = "${done.calls} calls together returned ${done.values}"
                found += Finding(Kind.SHARED_STATE, "two at once failed once with $name: $text")
                return
            }
            // The one call that succeeds belongs to one of both: the other one fails always.
            val half = trial().runTwice(meeting) { if (it == meeting.call + 1) null else failure() }
            if (first.result.isFailure && half.areDone) {
                val text = "one of two at once failed always with $name: they returned ${half.values}"
                found += Finding(Kind.SHARED_STATE, text)
                return
            }
        }
    }

    private fun endsWhenCancelled(first: Run) {
        val longest = first.gaps.maxOfOrNull { it.realWait } ?: 0
        for (call in 1..minOf(first.calls, STEPS)) {
            val script = Dependency.Script(cap, isCancelledAt = call) { failure() }
            val run = trial().run(script, longest)
            if (run.continues || run.calls > call) found += cancelled("in call $call", run)
        }
        val wait = first.gaps.firstOrNull() ?: return
        if (wait.isNone) return
        // In real time the call that follows the wait may have begun at that very moment: once more tells.
        val runs = List(if (wait.realWait > 0) 2 else 1) { trial().repeatsWhenCancelledIn(wait, failure) }
        if (null !in runs) found += cancelled("in the first wait", runs.last()!!)
    }

    private fun cancelled(step: String, run: Run) =
        Finding(Kind.REPEATED_AFTER_CANCELLATION, "cancelled $step: ${run.text}")

    private fun trial() = Trial(subject, cap)
}

private const val STEPS = 3
private const val SAMPLES = 6
