package dev.reprise.aws.java

import dev.reprise.core.RetryPolicy
import dev.reprise.core.classify.Classifier
import dev.reprise.core.classify.ErrorTable
import dev.reprise.core.classify.ResultScope
import dev.reprise.core.classify.ServerDelay
import dev.reprise.core.classify.ServerDelayHeader
import dev.reprise.core.classify.ServerDelayRule
import dev.reprise.core.classify.TransportErrors
import dev.reprise.core.classify.Verdict

/**
 * A policy's classifier over the SDK's exceptions. Each part sees the exception, and, if it looks at HTTP at all, the
 * response that the exception was made of; [SdkDecisions] stand right before the tables. The delay that the response asks
 * for is read here too, from the failure itself: what the SDK suggests comes from another header.
 */
internal class AwsClassifier private constructor(
    private val parts: List<Classifier>,
    private val serverDelays: List<ServerDelayRule>,
) : Classifier {
    override fun classifyFailure(failure: Throwable): Verdict? {
        val response = AwsOutcome.of(failure)
        val verdict = parts.firstNotNullOfOrNull { opinion(it, failure, response) }
        if (verdict !is Verdict.Retry || verdict.serverDelay != null || response == null) return verdict
        return serverDelay(response)?.let(verdict::withServerDelay) ?: verdict
    }

    private fun opinion(part: Classifier, failure: Throwable, response: AwsOutcome?): Verdict? {
        part.classifyFailure(failure)?.let { return it }
        return if (response != null && part.resultScope == ResultScope.HTTP) part.classifyResult(response) else null
    }

    private fun serverDelay(response: AwsOutcome): ServerDelay? = serverDelays.firstNotNullOfOrNull { rule ->
        val isFollowed = rule.statuses.isEmpty || response.status in rule.statuses
        val nanos = if (isFollowed) rule.header.read(response) else ServerDelayHeader.ABSENT
        if (nanos > ServerDelayHeader.UNREADABLE) ServerDelay(nanos, rule) else null
    }

    override val resultScope: ResultScope get() = ResultScope.NONE

    override fun toString(): String = parts.joinToString(" or ")

    companion object {
        /** [policy] with its classifier over the SDK's exceptions. */
        fun addedTo(policy: RetryPolicy): RetryPolicy {
            val classifier = over(policy.classifier, policy.serverDelays)
            return policy.toBuilder().classifier(classifier).build()
        }

        private fun over(classifier: Classifier, delays: List<ServerDelayRule>): Classifier = when (classifier) {
            is SdkRules -> classifier.over { over(it, delays) }
            else -> AwsClassifier(withSdkDecisions(Classifier.partsOf(classifier)), delays)
        }

        /** A classifier that is wholly the user's own, without tables, stays as it is. */
        private fun withSdkDecisions(parts: List<Classifier>): List<Classifier> {
            val at = parts.indexOfFirst { it is ErrorTable || it === TransportErrors }
            return if (at < 0) parts else parts.take(at) + SdkDecisions + parts.drop(at)
        }
    }
}
