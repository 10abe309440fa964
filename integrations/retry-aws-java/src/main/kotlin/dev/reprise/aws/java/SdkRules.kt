package dev.reprise.aws.java

import dev.reprise.core.Classifier
import dev.reprise.core.FailureKind
import dev.reprise.core.HttpOutcome
import dev.reprise.core.ResponseReader
import dev.reprise.core.ResultScope
import dev.reprise.core.Verdict
import dev.reprise.core.shell.values.responseOf
import java.util.function.Predicate

private val chosen = Verdict.Retry(FailureKind.TRANSIENT, "retried by a rule of the SDK's builder")

/** The rules that were set with the SDK's own strategy builder: further failures to retry, and failures that are throttles. */
internal class SdkRules(
    private val next: Classifier,
    private val retried: List<Predicate<Throwable>>,
    /** Decides alone which of the retried failures are throttles; `null` leaves that to [next]. */
    private val throttles: Predicate<Throwable>?,
) : ResponseReader {
    override fun classifyFailure(failure: Throwable): Verdict? {
        val known = next.classifyFailure(failure)
        val verdict = if (known !is Verdict.Retry && retried.any { it.test(failure) }) chosen else known
        if (verdict !is Verdict.Retry || throttles == null) return verdict
        val isThrottle = verdict.kind == FailureKind.THROTTLING
        return when (throttles.test(failure)) {
            isThrottle -> verdict
            true -> Verdict.Retry(FailureKind.THROTTLING, "treated as throttling", verdict.unsent, verdict.serverDelay)
            false -> Verdict.Retry(FailureKind.TRANSIENT, verdict.why, verdict.unsent, verdict.serverDelay)
        }
    }

    override fun responseOf(failure: Throwable): HttpOutcome? = next.responseOf(failure)

    override val resultScope: ResultScope get() = next.resultScope

    /** These rules before [inner], instead of before the classifier that they had. */
    fun over(inner: (Classifier) -> Classifier): SdkRules = SdkRules(inner(next), retried, throttles)

    override fun toString(): String = "rules of the SDK's builder, then $next"
}
