package dev.reprise.core

import dev.reprise.core.shell.InvalidPolicyException
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.core.shell.time.nanosText
import java.util.Arrays

/*
 * Checks settings against one another when a policy is built, for combinations that make no sense. Each part of a
 * policy checks itself where it is made.
 *
 * A limit that a shorter one makes idle, such as an attempt's timeout above the deadline, is no contradiction: the shorter one
 * does its work, and a policy that is derived from another has such limits. A warning tells. Any other rule that can
 * never act is refused.
 */

/** The time [limits] of attempts in ns without repetitions at the end, so that equal policies are equal. Never empty. */
internal fun attemptLimitsOf(limits: List<Long>): List<Long> {
    for (nanos in limits) require(nanos > 0) { "attemptTimeout must be above zero: ${nanosText(nanos)}" }
    var size = limits.size
    while (size > 1 && limits[size - 1] == limits[size - 2]) size--
    return if (size == 0) RetryPolicy.NO_LIMITS else List(size) { limits[it] }
}

/** @throws InvalidPolicyException if settings of a policy contradict one another */
internal fun checkMeant(maxAttempts: Int, backoff: Backoff, quota: QuotaSettings?, deadlineNanos: Long) {
    checkCap("backoff", backoff)
    val isEndless = maxAttempts == Int.MAX_VALUE && deadlineNanos == UNLIMITED_NANOS
    if (isEndless && FailureKind.entries.any { (quota?.costOf(it) ?: 0) == 0 && neverWaits(backoff, it) }) {
        val rule = "must be limited where there is neither a deadline nor, for each kind of failure, a quota or a wait"
        throw InvalidPolicyException("maxAttempts", rule, "unlimited")
    }
}

/**
 * Rejects a rule that would retry a cancellation or an interrupt: these end a call on every face, and no classifier is asked.
 *
 * @throws InvalidPolicyException if [classifier] has one
 */
internal fun checkActs(classifier: Classifier) {
    for (part in Classifier.partsOf(classifier)) {
        // A table that looks at causes may find one below another failure.
        if (part !is ExceptionTable || part.depth > 1) continue
        for (row in part.rules) {
            val type = if (row.kind == null) null else ENDS.find { it in row.types }
            val rule = "must not name an exception that always ends the call"
            if (type != null) throw InvalidPolicyException("retryOn", rule, type)
        }
    }
}

/** The exceptions that end a call on every face. */
// Java's list: Kotlin's brings the largest classes of kotlin-stdlib to the first policy of a program (19 ms).
private val ENDS = Arrays.asList("java.util.concurrent.CancellationException", "java.lang.InterruptedException")

/**
 * Rejects a copy that would come when the first attempt, which ends within [limitNanos], is over.
 *
 * @throws InvalidPolicyException if [hedge] sends such copies
 */
internal fun checkActs(hedge: Hedge?, limitNanos: Long) {
    if (hedge == null || hedge.afterNanos < limitNanos) return
    val rule = "must be below the ${nanosText(limitNanos)} that a first attempt may take"
    throw InvalidPolicyException("hedge.after", rule, nanosText(hedge.afterNanos))
}

/**
 * Rejects a base above the cap, which would never grow. The base after throttling may be above it, as in a preset with
 * a lower cap.
 */
private fun checkCap(name: String, backoff: Backoff): Unit = when (backoff) {
    is FixedBackoff, is GoBackoff, is CustomBackoff -> Unit

    is ExponentialBackoff -> checkCap(name, backoff.baseNanos, backoff.capNanos)

    is LinearBackoff -> checkCap(name, backoff.baseNanos, backoff.capNanos)

    is DecorrelatedBackoff -> checkCap(name, backoff.baseNanos, backoff.capNanos)

    is PerKindBackoff -> {
        checkCap("$name.transient", backoff.transient)
        checkCap("$name.throttling", backoff.throttling)
    }
}

private fun checkCap(name: String, base: Long, cap: Long) {
    if (base <= cap) return
    throw InvalidPolicyException("$name.base", "must not be above the cap of ${nanosText(cap)}", nanosText(base))
}

/** Whether the wait after a failure of [kind] ends at zero for every draw. */
private fun neverWaits(backoff: Backoff, kind: FailureKind) = waits(backoff, kind, Int.MAX_VALUE - 1).all { it == 0L }

/** The waits after a failure of [kind] for the least and the greatest draw. Any, of a user's own function, which is not called. */
private fun waits(backoff: Backoff, kind: FailureKind, retryIndex: Int): List<Long> {
    if (backoff.customFor(kind) != null) return listOf(0L, 1L)
    return listOf(0.0, 1.0).map { draw -> backoff.delayNanos(retryIndex, kind, previousNanos = -1, { draw }) }
}

/** The warning about a [limit] that is probably a mistake, but that a policy derived from another may have for good reason. */
internal fun aboveDeadline(limit: String, nanos: Long, deadlineNanos: Long): String? {
    if (nanos == UNLIMITED_NANOS || nanos <= deadlineNanos) return null
    return "the $limit of ${nanosText(nanos)} is above the deadline of ${nanosText(deadlineNanos)}, which comes first"
}

/** The warning about retries of which none can begin before the end of the time, [limitNanos] after the call began. */
internal fun noTimeToRetry(maxAttempts: Int, backoff: Backoff, limitNanos: Long): String? {
    if (maxAttempts == 1 || limitNanos == UNLIMITED_NANOS) return null
    val shortest = FailureKind.entries.minOf { waits(backoff, it, retryIndex = 0).min() }
    if (shortest < limitNanos) return null
    return "a call has ${nanosText(limitNanos)}, and waits ${nanosText(shortest)} before a retry: none is ever made"
}

/** The warning about calls without end. A backoff of the user's own may say when to stop. */
internal fun endless(maxAttempts: Int, deadlineNanos: Long, hasQuota: Boolean, backoff: Backoff): String? {
    val isEndless =
        maxAttempts == Int.MAX_VALUE && deadlineNanos == UNLIMITED_NANOS && !hasQuota && backoff !is CustomBackoff
    if (!isEndless) return null
    return "any number of attempts, and neither a deadline nor a quota ends a call that goes on failing"
}

/** The warning about a quota of which even a full one does not pay for a retry. */
internal fun quotaBelowCost(maxAttempts: Int, quota: QuotaSettings?): String? {
    if (quota == null || maxAttempts == 1) return null
    val cost = maxOf(quota.cost, quota.throttlingCost, quota.timeoutCost)
    if (cost <= quota.capacity) return null
    return "a full quota has ${quota.capacity} tokens, and a retry may cost $cost: that one is never made"
}
