package dev.reprise.core.shell.http

import dev.reprise.core.Classifier
import dev.reprise.core.HttpOutcome
import dev.reprise.core.ResultScope
import dev.reprise.core.RetryPolicy
import dev.reprise.core.ServerDelayHeader
import dev.reprise.core.Verdict
import dev.reprise.core.shell.text.WarningLog

/**
 * Warns about a policy that retries responses but lacks parts of [RetryPolicy.HTTP]; an HTTP face uses such a policy
 * unchanged. Never calls the user's code: if that judges responses, there is no warning about statuses.
 */
internal object LeftOut {
    private val statuses = listOf(408, 425, 520, 529)

    /** Logs the parts that [policy] lacks, if any, once for all policies that lack the same. */
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

    private val OURS = listOf("dev.reprise.core.", "dev.reprise.presets.")

    /** A response with nothing but a status. */
    private class Bare(override val status: Int) : HttpOutcome() {
        override fun header(name: String): String? = null
    }
}
