package dev.reprise.core.shell.call

import dev.reprise.core.CallOptions
import dev.reprise.core.Classifier
import dev.reprise.core.ExceptionTable
import dev.reprise.core.HttpOutcome
import dev.reprise.core.NamesRejections
import dev.reprise.core.Rejections
import dev.reprise.core.Repeat
import dev.reprise.core.ResultScope
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Verdict
import dev.reprise.core.askedBy
import dev.reprise.core.httpOf
import dev.reprise.core.shell.layers.AttemptScope
import dev.reprise.core.shell.layers.GiveUps
import dev.reprise.core.shell.text.WarningLog
import dev.reprise.core.shell.text.oneLine
import java.util.concurrent.atomic.AtomicBoolean

/**
 * What the outcomes of attempts mean under [policy], to the retrier of this [name]: the classifier's word, what a server
 * and a retrier below say beside it, and why a call is not repeated. Safe for any number of threads.
 */
internal class Judge(private val policy: RetryPolicy, name: String?) {
    private val judged = policy.classifier.resultScope
    private val judgesResponses = judged == ResultScope.HTTP || policy.honourShouldRetry
    private val pendingResults = PendingResults(name)
    private val hasJudgedUnit = AtomicBoolean()
    private val notRetried = NotRetried(name?.let { oneLine(it) })

    /** [verdict] on [outcome], which says so if a call made in [scope] has given up on that after the tick [since]. */
    fun marked(verdict: Verdict, outcome: Any?, since: Int, scope: AttemptScope?): Verdict =
        if (verdict is Verdict.Retry && GiveUps.isMarked(outcome, since, scope)) verdict.retriedBelow() else verdict

    /**
     * [verdict], which says so if nothing was sent, where that decides whether a call with [options] is repeated. A rule for a type
     * does not know; the rules about connections do.
     */
    fun sent(verdict: Verdict, failure: Throwable?, options: CallOptions): Verdict {
        val isAsked = options.repeatOfBlock == Repeat.IF_UNSENT && verdict is Verdict.Retry && !verdict.unsent
        if (!isAsked || failure == null) return verdict
        val parts = Classifier.partsOf(policyRules(policy.classifier))
        val isOfType = parts.any { it is ExceptionTable && it.classifyFailure(failure) == verdict }
        fun isUnsent(rule: Classifier) = (rule.classifyFailure(failure) as? Verdict.Retry)?.unsent == true
        return if (isOfType && parts.any { it is NamesRejections && isUnsent(it) }) verdict.unsent() else verdict
    }

    /** [verdict] with the delay that the server asks for, if its response has one that the policy follows. */
    fun withServerDelay(verdict: Verdict, result: Any?, failure: Throwable?, events: CallEvents?): Verdict {
        if (verdict !is Verdict.Retry || verdict.hasServerDelay || policy.serverDelays.isEmpty()) return verdict
        val response = responseOf(verdict, result, failure) ?: return verdict
        val delay = policy.serverDelays.askedBy(response) { events?.serverDelayIgnored(it) } ?: return verdict
        return verdict.withServerDelay(delay)
    }

    /** The response that an attempt ended with: its [result], or the one that its [failure] or the [verdict] on it stands for. */
    fun responseOf(verdict: Verdict, result: Any?, failure: Throwable?): HttpOutcome? = when {
        failure == null -> result as? HttpOutcome
        verdict is Verdict.Retry && verdict.response != null -> verdict.response
        else -> httpOf(failure) ?: Classifier.responseOf(policy.classifier, failure)
    }

    /** The verdict on [result]. Most results are of no type that the classifier looks at: these are accepted unasked. */
    fun verdictOn(result: Any?, attempt: Int, events: CallEvents?): Verdict {
        val isJudged = judged == ResultScope.ANY || (judgesResponses && result is HttpOutcome)
        if (!isJudged) return accepted(result)
        if (result is HttpOutcome) return result.verdict ?: policy.judge(result)
        if (result === NoResult) return Verdict.Accept
        if (result === Unit) unitIsJudged(attempt, events)
        return policy.classifier.classifyResult(result) ?: accepted(result)
    }

    private fun accepted(result: Any?): Verdict {
        pendingResults.look(result)
        return Verdict.Accept
    }

    /** The verdict on [failure], which means [thrown]; [known] is that of a shell that knows more than the classifier. */
    fun verdictOn(failure: Throwable, thrown: Thrown, known: Verdict?): Verdict {
        val verdict = known
            ?: policy.classifier.classifyFailure(failure)
            ?: if (thrown == Thrown.TIMEOUT) Verdict.TIMEOUT else unnamed(failure)
        if (!policy.honourShouldRetry) return verdict
        val response = responseOf(verdict, result = null, failure) ?: return verdict
        val said = policy.asServerSays(verdict, response)
        // A server may refuse a retry, but it cannot ask for one that the policy never makes.
        val isAsked = verdict is Verdict.Reject && said is Verdict.Retry && !said.isRetriedBelow
        return if (isAsked && Rejections.has(policyRules(policy.classifier), failure)) verdict else said
    }

    /** Why a call with [options] is not repeated. Says it once in the log too, unless the caller forbade a repeat. */
    fun whyNotRepeated(options: CallOptions): String {
        val allowed = options.allowedRepeat
        val why = when (allowed) {
            Repeat.NEVER -> "its caller wants no repeat"
            Repeat.IF_UNSENT -> "something may have been sent"
            Repeat.SAFE -> "its body or work is good for one attempt only"
        }
        // Work that was said to be done once needs no hint.
        if (allowed != Repeat.NEVER) notRetried.notReplayable(options.label, why, isSafe = allowed == Repeat.SAFE)
        return why
    }

    private fun unnamed(failure: Throwable): Verdict {
        if (policy.maxAttempts > 1) notRetried.unnamed(failure)
        return Verdict.Reject
    }

    private fun unitIsJudged(attempt: Int, events: CallEvents?) {
        if (!hasJudgedUnit.compareAndSet(false, true)) return
        events?.unitJudged(attempt)
        WarningLog.tell(
            "a retry policy judges results, and an attempt returned Unit, which is none: " +
                "to have the result judged take it, as in val done = retrier { work() }",
        )
    }
}
