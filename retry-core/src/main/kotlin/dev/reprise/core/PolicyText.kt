package dev.reprise.core

import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.core.shell.time.nanosText

/** Policies in words: the name of a constant, or the differences from [RetryPolicy.STANDARD] or [RetryPolicy.HTTP]. */
internal object PolicyText {
    private val constants = mapOf(
        "STANDARD" to RetryPolicy.STANDARD,
        "HTTP" to RetryPolicy.HTTP,
        "STANDARD_STEADY" to RetryPolicy.STANDARD_STEADY,
        "ADAPTIVE_STEADY" to RetryPolicy.ADAPTIVE_STEADY,
        "ANY_EXCEPTION" to RetryPolicy.ANY_EXCEPTION,
        "NONE" to RetryPolicy.NONE,
    )

    private val chains = listOf(
        "any exception" to AnyException.CLASSIFIER,
        "HTTP" to RetryPolicy.HTTP.classifier,
        "standard" to RetryPolicy.STANDARD_CLASSIFIER,
    ).map { (name, chain) -> name to Classifier.partsOf(chain) }

    fun of(policy: RetryPolicy): String {
        constants.entries.find { it.value == policy }?.let { return it.key }
        return constants.entries.take(2)
            .map { (name, base) -> listOf(name) + differences(policy, base) }
            .minBy { it.size }
            .joinToString()
    }

    private fun differences(policy: RetryPolicy, base: RetryPolicy): List<String> =
        words(policy).zip(words(base)).filter { (mine, its) -> mine != its }.map { (mine, _) -> mine }

    private fun words(policy: RetryPolicy): List<String> = listOf(
        if (policy.maxAttempts == Int.MAX_VALUE) "unlimited attempts" else attemptsText(policy.maxAttempts),
        "backoff ${policy.backoff}",
        "classifier ${wordsOf(policy.classifier)}",
        if (policy.serverDelays.isEmpty()) "no server delays" else "server delays ${policy.serverDelays}",
        wordsOf(policy.quota),
        wordsOf(policy.sendRate),
        "no permit: ${policy.onNoPermit}",
        policy.hedge?.toString() ?: "no hedge",
        limit("deadline", policy.deadlineNanos, "no deadline"),
        limit("stops after", policy.stopAfterNanos, "retries at any time"),
        "attempt timeout ${policy.limits.joinToString(", then ", transform = ::nanosText)}",
        "bad result: ${policy.onBadResult.word}",
        "retried below: ${policy.whenRetriedBelow}",
        if (policy.honourShouldRetry) "honours x-should-retry" else "ignores x-should-retry",
        if (policy.longPollingDelay) "delays refused long polls" else "no delay of refused long polls",
        if (policy.trace) "trace" else "no trace",
    )

    private fun limit(word: String, nanos: Long, none: String) =
        if (nanos == UNLIMITED_NANOS) none else "$word ${nanosText(nanos)}"

    /** A chain that ends as one of the constants' does is named by it, after what is asked before. */
    private fun wordsOf(classifier: Classifier): String {
        val parts = Classifier.partsOf(classifier)
        val (name, chain) = chains.find { (_, chain) -> parts.takeLast(chain.size) == chain } ?: return "$classifier"
        return (parts.dropLast(chain.size) + name).joinToString(", then ")
    }

    private fun wordsOf(quota: QuotaSettings?): String = when (quota) {
        null -> "no quota"
        SteadyQuotaSettings.DEFAULT -> "steady quota"
        else -> "$quota"
    }

    private fun wordsOf(rate: SendRateSettings?): String = when (rate) {
        null -> "no send rate"
        SendRateSettings.STEADY -> "steady send rate"
        SendRateSettings.EXACT -> "exact send rate"
        else -> "$rate"
    }
}
