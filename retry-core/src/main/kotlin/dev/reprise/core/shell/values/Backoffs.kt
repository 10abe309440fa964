// The members are internal: other modules see the extensions alone. The function stands for a constructor.
@file:Suppress("EXTENSION_SHADOWED_BY_MEMBER", "FunctionName")
@file:JvmName("Backoffs")

package dev.reprise.core.shell.values

import dev.reprise.core.Backoff
import dev.reprise.core.CustomBackoff
import dev.reprise.core.FailureKind
import dev.reprise.core.Jitter
import dev.reprise.core.RandomSource
import dev.reprise.core.shell.ShellApi
import dev.reprise.core.DecorrelatedBackoff as Decorrelated
import dev.reprise.core.ExponentialBackoff as Exponential
import dev.reprise.core.FixedBackoff as Fixed
import dev.reprise.core.GoBackoff as Go
import dev.reprise.core.LinearBackoff as Linear
import dev.reprise.core.PerKindBackoff as PerKind

/** The largest delay in ns before the retry with this [retryIndex] (0 before the second attempt) after a failure of [kind]. */
@ShellApi public fun Backoff.ceilingNanos(retryIndex: Int, kind: FailureKind): Long = ceilingNanos(retryIndex, kind)

/**
 * The delay in ns, not negative; or negative for no retry. [previousNanos] is the delay before the last attempt,
 * negative if there was none.
 */
@ShellApi
public fun Backoff.delayNanos(retryIndex: Int, kind: FailureKind, previousNanos: Long, draws: RandomSource): Long =
    delayNanos(retryIndex, kind, previousNanos, draws)

/** The delay in ns for a [ceiling] in ns: finite, not negative, at most [ceiling]. */
@ShellApi public fun Jitter.delayNanos(ceiling: Long, draws: RandomSource): Long = delayNanos(ceiling, draws)

/** The backoff of the AWS SDK for Go v1: `2^i * J(min)`, and `J(max / 2)` where that is more than [maxNanos]. */
@ShellApi public fun GoBackoff(minNanos: Long, maxNanos: Long): Backoff = Go(minNanos, maxNanos)

/**
 * The members of this in a policy document, in their order, its `type` first: delays as `Long` in ns, a nested [Backoff] as such;
 * `null` for a function of the user's.
 */
@ShellApi public fun Backoff.members(): Map<String, Any>? = when (this) {
    is Fixed -> mapOf("type" to "fixed", "delay" to delayNanos, "jitter" to jitter.word)

    is Linear ->
        mapOf("type" to "linear", "base" to baseNanos, "step" to stepNanos, "cap" to capNanos, "jitter" to jitter.word)

    is Exponential -> buildMap {
        put("type", "exponential")
        put("base", baseNanos)
        if (throttlingBaseNanos != baseNanos) put("throttlingBase", throttlingBaseNanos)
        put("factor", factor)
        put("cap", capNanos)
        put("jitter", jitter.word)
        if (firstExponent != 0) put("firstExponent", firstExponent)
    }

    is Decorrelated -> mapOf("type" to "decorrelated", "base" to baseNanos, "cap" to capNanos)

    is Go -> mapOf("type" to "go", "min" to minNanos, "max" to maxNanos)

    is PerKind -> mapOf("type" to "per-kind", "transient" to transient, "throttling" to throttling)

    is CustomBackoff -> null
}
