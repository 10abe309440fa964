package dev.reprise.core.check

import dev.reprise.core.backoff.Backoff
import dev.reprise.core.backoff.CustomBackoff
import dev.reprise.core.time.UNLIMITED_NANOS
import dev.reprise.core.time.nanosText

/*
 * Settings that are probably a mistake. `checkMeant` rejects contradictions; these are allowed, since a policy that is derived
 * from another may have them for good reason.
 */

internal fun attemptAboveDeadline(attemptNanos: Long, deadlineNanos: Long): String? {
    if (attemptNanos == UNLIMITED_NANOS || attemptNanos <= deadlineNanos) return null
    return "the attempt timeout of ${nanosText(attemptNanos)} is above the deadline of ${nanosText(deadlineNanos)}, " +
        "which comes first"
}

/** A backoff of the user's own may say when to stop. */
internal fun endless(maxAttempts: Int, deadlineNanos: Long, hasQuota: Boolean, backoff: Backoff): String? {
    val isEndless =
        maxAttempts == Int.MAX_VALUE && deadlineNanos == UNLIMITED_NANOS && !hasQuota && backoff !is CustomBackoff
    if (!isEndless) return null
    return "any number of attempts, and neither a deadline nor a quota ends a call that goes on failing"
}
