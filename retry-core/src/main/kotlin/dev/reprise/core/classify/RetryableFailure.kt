package dev.reprise.core.classify

/**
 * A failure that classifies itself. Implement it in an exception of your own and every policy with a
 * [SelfClassifier] understands it.
 */
public interface RetryableFailure {
    /** The kind of failure, or `null` if another attempt would not help. */
    public val failureKind: FailureKind?

    /** How long the server asks to wait, in nanoseconds; negative if it did not ask. */
    public val serverDelayNanos: Long get() = -1
}

/** Lets failures that are [RetryableFailure] speak for themselves, also from inside a chain of causes. */
public object SelfClassifier : Classifier {
    override fun classifyFailure(failure: Throwable): Verdict? {
        val itself = firstOfCauses(failure) { it as? RetryableFailure } ?: return null
        return verdictOf(itself)
    }

    override val resultScope: ResultScope get() = ResultScope.NONE

    private fun verdictOf(failure: RetryableFailure): Verdict {
        val kind = failure.failureKind ?: return Verdict.Reject
        val verdict = Verdict.Retry(kind, "says so itself")
        val delay = failure.serverDelayNanos
        return if (delay < 0) verdict else verdict.withServerDelay(ServerDelay(delay))
    }

    override fun toString(): String = "self"
}
