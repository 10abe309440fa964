package dev.reprise.core.call

import dev.reprise.core.RetryOutcome
import dev.reprise.core.classify.Verdict

/**
 * A call in its first attempt that has no state. All that it knows is its attempt; whatever else happens is told to an object
 * of the call's [own].
 */
internal abstract class AttemptingCall(setup: CallSetup) : RetryCall(setup) {
    final override val next: NextStep get() = NextStep.ATTEMPT
    final override val delayNanos: Long get() = 0
    final override val deadlineAt: Long get() = Long.MAX_VALUE

    /** This call, its attempt under way, as an object of its own. */
    protected abstract fun own(): OwnCall

    final override fun failed(failure: Throwable, thrown: Thrown, verdict: Verdict?): RetryCall =
        own().failed(failure, thrown, verdict)

    final override fun broke(thrown: Throwable): RetryCall = own().broke(thrown)

    final override fun forGood(): RetryCall = own().forGood()

    final override fun asLongPoll(): RetryCall = own().asLongPoll()

    final override fun outcome(): RetryOutcome<Any?>? = null

    final override fun waited(): Unit = outOfTurn()

    final override fun permitted(waitNanos: Long): Unit = outOfTurn()

    final override fun permitRefused(): Unit = outOfTurn()

    final override fun rejected(): Any? = outOfTurn()

    final override fun discarded(): Unit = outOfTurn()

    final override fun failure(): Throwable? = outOfTurn()

    final override fun value(): Any? = outOfTurn()

    private fun outOfTurn(): Nothing = error("a first attempt is made or reported, nothing else")
}
