package dev.reprise.test

import dev.reprise.core.ExperimentalReprise
import dev.reprise.test.Finding.Kind

/**
 * Experimental. Finds defects of retry code: lets its remote call fail once, twice and always, with each of the [failures], also
 * after and beside a call that succeeds, cancels it at each step, and reports each wrong reaction. The probe sees only the number and times of the calls and the end,
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
        val probings = failures.map { Probing(subject, it, cap) }
        for (probing in probings) if (isSafe) probing.repeats() else probing.doesNotRepeat(Kind.UNSAFE_REPEAT)
        val ofFinals = finals.map { Probing(subject, it, cap) }
        for (probing in ofFinals) probing.doesNotRepeat(Kind.RETRIED_IN_VAIN)
        return (probings + ofFinals).flatMap { it.found }.distinctBy { it.kind to it.text }
    }
}

private const val DEFAULT_CAP = 100
private const val MOST_CAP = 1_000_000
