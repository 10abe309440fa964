package dev.reprise.core.check

import dev.reprise.core.LoggingListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.backoff.Backoff
import dev.reprise.core.backoff.CustomBackoff
import dev.reprise.core.time.UNLIMITED_NANOS
import dev.reprise.core.time.nanosText
import java.util.concurrent.ConcurrentHashMap

/*
 * Settings that are probably a mistake. What no policy can mean is rejected by `checkMeant`; these are not, since a policy
 * that is derived from another may have them for good reason.
 */

internal fun warningsOf(policy: RetryPolicy): List<String> =
    listOfNotNull(attemptAboveDeadline(policy), endless(policy))

private fun attemptAboveDeadline(policy: RetryPolicy): String? {
    val (attempt, deadline) = policy.limits.max() to policy.deadlineNanos
    if (attempt == UNLIMITED_NANOS || attempt <= deadline) return null
    return "the attempt timeout of ${nanosText(
        attempt,
    )} is above the deadline of ${nanosText(deadline)}, which comes first"
}

/** A backoff of the user's own may say when to stop. */
private fun endless(policy: RetryPolicy): String? {
    val isEndless =
        policy.maxAttempts == Int.MAX_VALUE && policy.deadlineNanos == UNLIMITED_NANOS && policy.quota == null &&
            policy.backoff !is CustomBackoff
    if (!isEndless) return null
    return "any number of attempts, and neither a deadline nor a quota ends a call that goes on failing"
}

/** Logs each warning about a program's policies once. */
internal object WarningLog {
    /** The most warnings that are logged: more do not help, and their texts are kept. */
    private const val MOST = 50

    private val told = ConcurrentHashMap.newKeySet<String>()

    fun tell(policy: RetryPolicy) {
        for (warning in policy.warnings) tell("probably a mistake in a retry policy: $warning")
    }

    fun tell(warning: String) {
        if (isFirst(warning)) log(warning)
    }

    /** Whether [text] has not been logged yet, and is to be logged now. */
    fun isFirst(text: String): Boolean = told.size < MOST && told.add(text)

    private fun log(warning: String) = try {
        System.getLogger(LoggingListener.LOGGER).log(System.Logger.Level.WARNING, warning)
    } catch (_: Throwable) {
        // No logger on this platform, or a broken one. A warning must not cost a retrier.
    }
}
