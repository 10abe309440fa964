package dev.reprise.core.call

import dev.reprise.core.Attempt
import dev.reprise.core.machine.Repeatable

/** A first attempt like [first]'s that has a send permit, and tells the send rate when it was sent. */
internal class MeteredCall(private val first: FirstCall, private val sentAt: Long) : AttemptingCall(first.setup) {
    override fun own(): OwnCall = first.own(sentAt)

    override fun attemptStarts(): Attempt = first.attemptStarts()

    override fun attemptStarted(at: Long): Attempt = first.attemptStarted(at)

    override fun completed(result: Any?, work: Repeatable?): RetryCall? = first.completed(result, work, sentAt)

    override fun succeeded(): RetryCall? = first.accepted(Unit, sentAt)

    override fun toString(): String = "metered $first"
}
