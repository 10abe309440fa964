package dev.reprise.test

import dev.reprise.core.ExperimentalReprise
import dev.reprise.test.Finding.Kind

/**
 * Experimental. Finds defects of retry code: lets its remote call fail once, twice and always, with each of the [failures], cancels
 * it at each step, and reports each wrong reaction. The probe sees only the number and times of the calls and the end,
 * so it probes hand-written loops as well as Reprise. Code that waits in virtual time takes no time. Code that sleeps
 * is probed in real time and takes about thirty times its waits. All but coroutines begins on threads of its own; a
 * thread that never ends stays behind, parked.
 *
 * ```kotlin
 * FaultProbe({ ConnectException("refused") }).assertSound(
 *     Subject.suspending { time, fetch ->
 *         val people = People(time.retrier(), fetch)
 *         suspend { people.find("7") }
 *     },
 * )
 * ```
 */
@ExperimentalReprise
public class FaultProbe private constructor(
    private val failures: List<() -> Throwable>,
    private val finals: List<() -> Throwable>,
    private val isSafe: Boolean,
    private val cap: Int,
) {
    /** A probe of work that may be repeated after each of [failures]. */
    public constructor(vararg failures: () -> Throwable) : this(failures.toList(), emptyList(), true, DEFAULT_CAP)

    /** This probe, with failures after which nothing may be repeated. */
    public fun withFinal(vararg failures: () -> Throwable): FaultProbe =
        FaultProbe(this.failures, finals + failures, isSafe, cap)

    /** This probe, for work that must not be done twice. */
    public fun ofUnsafeWork(): FaultProbe = FaultProbe(failures, finals, false, cap)

    /** This probe; more than [calls] of one operation are too many. At least 1, and a million at most; 100 by default. */
    public fun withCap(calls: Int): FaultProbe {
        require(calls in 1..MOST_CAP) { "calls must be from 1 to $MOST_CAP: $calls" }
        return FaultProbe(failures, finals, isSafe, calls)
    }

    /**
     * Throws an [AssertionError] that lists the defects of [subject]; returns if it is sound.
     *
     * @throws IllegalArgumentException if this probe has no failure to try
     */
    public fun assertSound(subject: Subject) {
        val found = findings(subject)
        if (found.isNotEmpty()) throw AssertionError(found.joinToString("\n", "unsound retries:\n"))
    }

    /**
     * Returns the defects of [subject]; each kind of defect once for each failure.
     *
     * @throws IllegalArgumentException if this probe has no failure to try
     */
    public fun findings(subject: Subject): List<Finding> {
        val count = failures.size + finals.size
        require(count > 0) { "failures must be at least 1, of either kind: $count. Nothing would be probed" }
        val found = mutableListOf<Finding>()
        for (failure in failures) {
            if (isSafe) repeats(subject, failure, found) else doesNotRepeat(subject, failure, Kind.UNSAFE_REPEAT, found)
        }
        for (failure in finals) doesNotRepeat(subject, failure, Kind.RETRIED_IN_VAIN, found)
        return found.distinctBy { it.kind to it.text }
    }

    private fun repeats(subject: Subject, failure: () -> Throwable, found: MutableList<Finding>) {
        val name = nameOf(failure)
        val once = trial(subject).run { if (it == 1) failure() else null }
        if (once.result.isFailure) found += Finding(Kind.NO_RETRY, "failed once with $name: ${once.text}")
        val twice = trial(subject).run { if (it <= 2) failure() else null }
        found.addMissingDelay(twice, "twice with $name") { trial(subject).run { if (it <= 2) failure() else null } }

        val always = trial(subject)
        val first = always.run { failure() }
        found.addMissingDelay(first, "always with $name") { trial(subject).run { failure() } }
        if (first.isRunaway) {
            found += Finding(Kind.MISSING_CAP, "failed always with $name: ${first.text}")
            return
        }
        if (!first.threw(failure().javaClass)) {
            found += Finding(Kind.LOST_FAILURE, "failed always with $name: ${first.text}")
        }
        val isFixed = resetsItself(always, first, failure, found)
        keepsApart(subject, once, first, isFixed, failure, found)
        endsWhenCancelled(subject, first, failure, found)
    }

    /**
     * Reports a delay that is missing in [run] and in most of the runs that follow. A drawn wait in real time may be
     * too short to be told from none, and a busy machine may put time between two calls that do not wait: each in
     * a few runs only.
     */
    private fun MutableList<Finding>.addMissingDelay(run: Run, what: String, again: () -> Run) {
        if (run.undelayed.isNotEmpty()) {
            val others = List(SAMPLES) { again().undelayed }
            if (run.undelayed.any { gap -> others.count { gap in it } > SAMPLES / 2 }) {
                this += Finding(Kind.MISSING_DELAY, "failed $what: ${run.text}")
            }
        }
        if (run.continues) this += Finding(Kind.REPEATED_AFTER_CANCELLATION, "failed $what: ${run.text}")
    }

    /**
     * Checks that one call does not change the next one. Drawn or real waits are never alike, but must not grow from
     * call to call. Returns whether the waits are known to be fixed.
     */
    private fun resetsItself(
        always: Trial,
        first: Run,
        failure: () -> Throwable,
        found: MutableList<Finding>,
    ): Boolean {
        val second = always.run { failure() }
        if (second.isLike(first)) return first.gaps.none { it.realWait > 0 }
        val later = listOf(second) + List(SAMPLES + 2) { always.run { failure() } }
        if (grow(listOf(first) + later) || later.all { it.calls != first.calls }) {
            val text = "failed always with ${nameOf(failure)}, twice: gaps ${first.gaps}, then ${second.gaps}"
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

    /** Checks that one call does not change another one at the same time. */
    private fun keepsApart(
        subject: Subject,
        once: Run,
        first: Run,
        isFixed: Boolean,
        failure: () -> Throwable,
        found: MutableList<Finding>,
    ) {
        val alone = trial(subject).run(tellsApart = true) { failure() }
        val values = trial(subject).let { one -> List(2) { one.run(tellsApart = true) { null }.result.getOrNull() } }
        for (meeting in Meeting.of(first)) {
            val made = mutableListOf<Throwable>()
            val failed = trial(subject).runTwice(meeting) { failure().also { synchronized(made) { made += it } } }
            if (!failed.areBoth) return
            val isMixed = when {
                failed.calls != alone.calls * 2 ->
                    "${failed.calls} calls together, where one alone makes ${alone.calls}"

                failed.share(made) -> "both threw the same failure"

                isFixed && !failed.waitAs(alone) -> "other waits than alone, which are ${alone.gaps}"

                else -> null
            }
            if (isMixed != null) {
                found += Finding(Kind.SHARED_STATE, "two at once failed always with ${nameOf(failure)}: $isMixed")
                return
            }
            if (once.result.isFailure) continue
            val done = trial(subject).runTwice(meeting) { if (it <= 2) failure() else null }
            val isOneValue = done.areDone && done.values[0] == done.values[1] && values[0] != values[1]
            if (isOneValue || (done.areDone && done.calls != once.calls * 2)) {
                val text = "${done.calls} calls together returned ${done.values}"
                found += Finding(Kind.SHARED_STATE, "two at once failed once with ${nameOf(failure)}: $text")
                return
            }
        }
    }

    private fun endsWhenCancelled(
        subject: Subject,
        first: Run,
        failure: () -> Throwable,
        found: MutableList<Finding>,
    ) {
        val longest = first.gaps.maxOfOrNull { it.realWait } ?: 0
        for (call in 1..minOf(first.calls, STEPS)) {
            val script = Dependency.Script(cap, isCancelledAt = call) { failure() }
            val run = trial(subject).run(script, longest)
            if (run.continues || run.calls > call) found += cancelled("in call $call", run)
        }
        val wait = first.gaps.firstOrNull() ?: return
        if (wait.isNone) return
        // In real time the call that follows the wait may have begun at that very moment: once more tells.
        val runs = List(if (wait.realWait > 0) 2 else 1) { trial(subject).repeatsWhenCancelledIn(wait, failure) }
        if (null !in runs) found += cancelled("in the first wait", runs.last()!!)
    }

    private fun cancelled(step: String, run: Run) =
        Finding(Kind.REPEATED_AFTER_CANCELLATION, "cancelled $step: ${run.text}")

    private fun doesNotRepeat(subject: Subject, failure: () -> Throwable, kind: Kind, found: MutableList<Finding>) {
        val run = trial(subject).run { failure() }
        if (run.calls > 1 || run.continues) {
            found += Finding(kind, "failed with ${nameOf(failure)}: ${run.text}")
        }
    }

    private fun trial(subject: Subject) = Trial(subject, cap)

    private fun nameOf(failure: () -> Throwable) = failure().javaClass.simpleName

    private companion object {
        const val DEFAULT_CAP = 100
        const val MOST_CAP = 1_000_000
        const val STEPS = 3
        const val SAMPLES = 6
    }
}
