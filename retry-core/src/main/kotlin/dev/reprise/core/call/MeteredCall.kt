package dev.reprise.core.call

import dev.reprise.core.Attempt
import dev.reprise.core.RetryOutcome
import dev.reprise.core.classify.Verdict

/** A first attempt like [first]'s that has a send permit, and tells the send rate when it was sent. */
internal class MeteredCall(private val first: FirstCall, private val sentAt: Long) : RetryCall(first.setup) {
    override val next: NextStep get() = NextStep.ATTEMPT
    override val delayNanos: Long get() = 0
    override val deadlineAt: Long get() = first.deadlineAt

    override fun attemptStarts(): Attempt = first.attemptStarts()

    override fun attemptStarted(at: Long): Attempt = first.attemptStarted(at)

    override fun asLongPoll(): RetryCall = first.own(sentAt).asLongPoll()

    override fun completed(result: Any?): RetryCall? = first.completed(result, sentAt)

    override fun succeeded(): RetryCall? = first.accepted(Unit, sentAt)

    override fun failed(failure: Throwable, thrown: Thrown, verdict: Verdict?): RetryCall =
        first.own(sentAt).failed(failure, thrown, verdict)

    override fun broke(thrown: Throwable): RetryCall = first.own(sentAt).broke(thrown)

    override fun forGood(): RetryCall = first.own(sentAt).forGood()

    override fun waited(): Unit = first.waited()

    override fun permitted(waitNanos: Long): Unit = first.permitted(waitNanos)

    override fun permitRefused(): Unit = first.permitRefused()

    override fun rejected(): Any? = first.rejected()

    override fun discarded(): Unit = first.discarded()

    override fun failure(): Throwable? = first.failure()

    override fun value(): Any? = first.value()

    override fun outcome(): RetryOutcome<Any?>? = null

    override fun toString(): String = "metered $first"
}
