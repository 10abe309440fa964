package dev.reprise.core

import dev.reprise.core.shell.firstOfCauses
import dev.reprise.core.shell.time.durationOf
import dev.reprise.core.shell.time.toNanosSaturated
import kotlin.time.Duration
import java.time.Duration as JavaDuration

/**
 * A failure that classifies itself. Implement it in an exception of your own and every policy with a
 * [SelfClassifier] understands it.
 */
public interface RetryableFailure {
    /** The kind of failure, or `null` if another attempt would not help. */
    public val failureKind: FailureKind?

    /** The delay that the server asks for; `null` if it asks for none. By default, [getServerDelay]. */
    @get:JvmSynthetic
    public val serverDelay: Duration? get() = getServerDelay()?.let { durationOf(it.toNanosSaturated()) }

    /** The delay that the server asks for; `null` if it asks for none. For classes in Java to override. */
    public fun getServerDelay(): JavaDuration? = null
}

/** Lets failures that are [RetryableFailure] speak for themselves, also from inside a chain of causes. */
public object SelfClassifier : NamesRejections {
    override fun classifyFailure(failure: Throwable): Verdict? {
        val itself = firstOfCauses(failure) { it as? RetryableFailure } ?: return null
        return verdictOf(itself)
    }

    override val resultScope: ResultScope get() = ResultScope.NONE

    private fun verdictOf(failure: RetryableFailure): Verdict {
        val kind = failure.failureKind ?: return Verdict.Reject
        val verdict = Verdict.Retry(kind, "says so itself")
        val delay = failure.serverDelay ?: return verdict
        return if (delay.isNegative()) verdict else verdict.withServerDelay(ServerDelay.of(delay))
    }

    override fun toString(): String = "self"
}
