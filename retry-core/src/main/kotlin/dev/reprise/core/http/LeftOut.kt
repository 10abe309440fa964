package dev.reprise.core.http

import dev.reprise.core.RetryPolicy
import dev.reprise.core.check.WarningLog
import dev.reprise.core.classify.Classifier
import dev.reprise.core.classify.HttpOutcome
import dev.reprise.core.classify.ResultScope
import dev.reprise.core.classify.ServerDelayHeader
import dev.reprise.core.classify.Verdict

/**
 * Warns about a policy that retries responses and leaves out what [RetryPolicy.HTTP] has: an HTTP face keeps such a policy as
 * it is. Code of the user's is not asked: where it judges responses, nothing is said about statuses.
 */
internal object LeftOut {
    private val statuses = listOf(408, 425)

    /** Logs what [policy] leaves out, if anything, once for all policies that leave out the same. */
    fun tell(policy: RetryPolicy) = of(policy)?.let(WarningLog::tell)

    /** The warning about [policy], or null if it leaves out nothing. */
    fun of(policy: RetryPolicy): String? {
        if (policy.maxAttempts == 1 || policy.classifier.resultScope == ResultScope.NONE) return null
        val missing = statuses.filter { !retries(policy.classifier, it) }.map { "$it" }
        val header = if (followsRetryAfter(policy)) emptyList() else listOf("Retry-After")
        if (missing.isEmpty() && header.isEmpty()) return null
        val line = if (header.isEmpty()) "" else ", or only for Retry-After: honourRetryAfter(60.seconds)"
        return "the retry policy of an HTTP client leaves out ${(header + missing).joinToString()}, which " +
            "RetryPolicy.HTTP has; it is kept as it is. To have all, begin with RetryPolicy.HTTP.with { … }, " +
            "in Java RetryPolicy.HTTP.toBuilder()$line"
    }

    private fun followsRetryAfter(policy: RetryPolicy) =
        policy.serverDelays.any { it.header.headerName == ServerDelayHeader.RETRY_AFTER.headerName }

    /** Whether [classifier] retries [status], or may do so by code that is not ours. */
    private fun retries(classifier: Classifier, status: Int): Boolean {
        val judges = Classifier.partsOf(classifier).filter { it.resultScope != ResultScope.NONE }
        if (!judges.all(::isOurs)) return true
        val outcome = Bare(status)
        return judges.firstNotNullOfOrNull { it.classifyResult(outcome) } is Verdict.Retry
    }

    /** Whether [part] is a table or a check of the library. Functions of the user's are asked about any result. */
    private fun isOurs(part: Classifier) =
        part.resultScope == ResultScope.HTTP && OURS.any { part.javaClass.name.startsWith(it) }

    private val OURS = listOf("dev.reprise.core.classify.", "dev.reprise.presets.")

    /** A response with nothing but a status. */
    private class Bare(override val status: Int) : HttpOutcome() {
        override fun header(name: String): String? = null
    }
}
