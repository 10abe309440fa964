package dev.reprise.test

import dev.reprise.test.Finding.Kind
import kotlin.time.Duration.Companion.nanoseconds

/**
 * Lets the remote call of some retry code fail, once, twice and always, with each of its [failures], cancels it at each
 * step, and says what is wrong with what the code then does. It knows nothing of the code but how often and when it calls:
 * so it probes hand-written loops as well as Reprise.
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

    /** This probe; more than [calls] of one operation are too many. */
    public fun withCap(calls: Int): FaultProbe = FaultProbe(failures, finals, isSafe, calls)

    /** Throws an [AssertionError] that lists what is wrong with [subject]; nothing if it is sound. */
    public fun assertSound(subject: Subject) {
        val found = findings(subject)
        if (found.isNotEmpty()) throw AssertionError(found.joinToString("\n", "unsound retries:\n"))
    }

    /** What is wrong with [subject]; each kind of defect once for each failure. */
    public fun findings(subject: Subject): List<Finding> {
        val found = mutableListOf<Finding>()
        for (failure in failures) {
            if (isSafe) repeats(subject, failure, found) else doesNotRepeat(subject, failure, Kind.UNSAFE_REPEAT, found)
        }
        for (failure in finals) doesNotRepeat(subject, failure, Kind.RETRIED_IN_VAIN, found)
        return found.distinctBy { it.kind to it.text }
    }

    private fun repeats(subject: Subject, failure: () -> Throwable, found: MutableList<Finding>) {
        val name = failure().javaClass.simpleName
        val once = Trial(subject).run { if (it == 1) failure() else null }
        if (once.isFailure) found += Finding(Kind.NO_RETRY, "failed once with $name: ${once.text}")
        Trial(subject).run { if (it <= 2) failure() else null }.checkDelays("twice with $name", found)

        val always = Trial(subject)
        val first = always.run { failure() }
        first.checkDelays("always with $name", found)
        if (first.isRunaway) {
            found += Finding(Kind.MISSING_CAP, "failed always with $name: ${first.text}")
            return
        }
        if (!first.threw(failure().javaClass)) {
            found += Finding(Kind.LOST_FAILURE, "failed always with $name: ${first.text}")
        }
        keepsCallsApart(subject, always, first, failure, found)
        endsWhenCancelled(subject, first, failure, found)
    }

    /** What one call went through is of no concern to the next one, nor to one beside it. */
    private fun keepsCallsApart(
        subject: Subject,
        always: Trial,
        first: Run,
        failure: () -> Throwable,
        found: MutableList<Finding>,
    ) {
        val name = failure().javaClass.simpleName
        val second = always.run { failure() }
        if (second.gaps != first.gaps) {
            val text = "failed always with $name, twice: gaps ${first.gaps}, then ${second.gaps}"
            found += Finding(Kind.STATE_NOT_RESET, text)
        }
        val both = Trial(subject).callsOfTwo { failure() } ?: return
        if (both != first.calls * 2) {
            val text = "$both calls together, where one alone makes ${first.calls}"
            found += Finding(Kind.SHARED_STATE, "two at once failed always with $name: $text")
        }
    }

    private fun endsWhenCancelled(
        subject: Subject,
        first: Run,
        failure: () -> Throwable,
        found: MutableList<Finding>,
    ) {
        for (call in 1..minOf(first.calls, STEPS)) {
            val inCall = Trial(subject, isCancelledAt = call).run { failure() }
            if (inCall.calls > call) found += cancelled("in call $call", inCall)
        }
        val inWait = Trial(subject, cancelsInWait = true).run { failure() }
        if (first.gaps.firstOrNull() != 0L && inWait.calls > 1) found += cancelled("in the first wait", inWait)
    }

    private fun cancelled(step: String, run: Run) =
        Finding(Kind.REPEATED_AFTER_CANCELLATION, "cancelled $step: ${run.text}")

    private fun doesNotRepeat(subject: Subject, failure: () -> Throwable, kind: Kind, found: MutableList<Finding>) {
        val run = Trial(subject).run { failure() }
        if (run.calls > 1) found += Finding(kind, "failed with ${failure().javaClass.simpleName}: ${run.text}")
    }

    /** One instance of the subject, run once or more. */
    private inner class Trial(
        subject: Subject,
        private val isCancelledAt: Int = 0,
        private val cancelsInWait: Boolean = false,
    ) {
        private val time = VirtualTime()
        private val operation = subject.fresh(time)

        fun run(failure: (Int) -> Throwable?): Run {
            var dependency: Dependency? = null
            val made = Dependency(time, cap, isCancelledAt) { call ->
                if (cancelsInWait && call == 1) time.after(1.nanoseconds) { dependency!!.cancel() }
                failure(call)
            }
            dependency = made
            return Run(made, operation.run(made))
        }

        /** How many calls two operations at once make together; `null` where they cannot run at once. */
        fun callsOfTwo(failure: () -> Throwable): Int? {
            val dependency = Dependency(time, cap * 2, 0) { failure() }
            return if (operation.runTwice(dependency)) dependency.calls else null
        }
    }

    private class Run(private val dependency: Dependency, private val result: Result<Any?>) {
        val calls get() = dependency.calls
        val gaps = dependency.callsAt.zipWithNext { a, b -> b - a }
        val isRunaway get() = dependency.isRunaway
        val isFailure get() = result.isFailure
        val text get() = "$calls calls, gaps $gaps ns, then ${result.exceptionOrNull() ?: result.getOrNull()}"

        fun threw(type: Class<*>) =
            generateSequence(result.exceptionOrNull()) { it.cause }.take(CAUSES).any { type.isInstance(it) }

        fun checkDelays(what: String, found: MutableList<Finding>) {
            if (gaps.any { it == 0L }) found += Finding(Kind.MISSING_DELAY, "failed $what: $text")
        }
    }

    private companion object {
        const val DEFAULT_CAP = 100
        const val STEPS = 3
        const val CAUSES = 10
    }
}
