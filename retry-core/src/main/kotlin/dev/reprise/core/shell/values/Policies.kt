@file:Suppress("EXTENSION_SHADOWED_BY_MEMBER") // The members are internal: other modules see the extensions alone.
@file:JvmName("Policies")

package dev.reprise.core.shell.values

import dev.reprise.core.CallOptions
import dev.reprise.core.ExperimentalReprise
import dev.reprise.core.FailureKind
import dev.reprise.core.Hedge
import dev.reprise.core.NoPermit
import dev.reprise.core.Polling
import dev.reprise.core.QuotaSettings
import dev.reprise.core.Repeat
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryPolicyBuilder
import dev.reprise.core.WaitAtMost
import dev.reprise.core.WhenRetriedBelow
import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import java.util.function.Predicate

/** [RetryPolicy.deadline] in ns, `UNLIMITED_NANOS` for none. */
@ShellApi public val RetryPolicy.deadlineNanos: Long get() = deadlineNanos

/** [RetryPolicy.stopAfter] in ns, `UNLIMITED_NANOS` for none. */
@ShellApi public val RetryPolicy.stopAfterNanos: Long get() = stopAfterNanos

/** The time limits of the attempts in ns, in their order; the last holds for all further ones. Never empty. */
@ShellApi public val RetryPolicy.limits: List<Long> get() = limits

/** The longest that the attempt of this [number], from 1, may take, in ns; `UNLIMITED_NANOS` for any time. */
@ShellApi public fun RetryPolicy.attemptTimeoutNanos(number: Int): Long = attemptTimeoutNanos(number)

/** Whether attempts run against the clock. */
@ShellApi public val RetryPolicy.isTimed: Boolean get() = isTimed

/** Never retries exceptions of the class with this name. Precedes all other rules, earlier and later ones. */
@ShellApi public fun RetryPolicyBuilder.rejectOn(className: String): RetryPolicyBuilder = rejectOn(className)

/**
 * The policy of a poll whose looks are otherwise calls under [base]. A result for which [isGood] says false is not accepted; a poll
 * that ends without a good one throws.
 */
@ShellApi
public fun Polling.policyFor(base: RetryPolicy, isGood: Predicate<Any?>): RetryPolicy = policyFor(base, isGood)

/** The delay before a copy, in ns; 0 if it is learnt. */
@ExperimentalReprise
@ShellApi public val Hedge.afterNanos: Long get() = afterNanos

/** The longest wait for a send permit in ns: 0 for none, `UNLIMITED_NANOS` for as long as it takes. */
@ShellApi public val NoPermit.longestNanos: Long
    get() = when (this) {
        NoPermit.Wait -> UNLIMITED_NANOS
        NoPermit.Fail -> 0
        is WaitAtMost -> nanos
    }

/** The tokens that a retry after a failure of [kind] costs. */
@ShellApi public fun QuotaSettings.costOf(kind: FailureKind): Int = costOf(kind)

/** These options for a call that has no more than [timeLeftNanos] left, in ns; none if that is not above zero. */
@ShellApi public fun CallOptions.within(timeLeftNanos: Long): CallOptions = within(timeLeftNanos)

/** The most attempts that a call with these options makes under [policy] now. */
@ShellApi public fun CallOptions.attemptsOf(policy: RetryPolicy): Int = attemptsOf(policy)

/** These options for work that may be repeated as [repeat] says. */
@ShellApi public fun CallOptions.repeated(repeat: Repeat): CallOptions = repeated(repeat)

/** These options, and where they say nothing [base]'s; the shorter deadline counts, and a long poll is one if either says so. */
@ShellApi public fun CallOptions.over(base: CallOptions): CallOptions = over(base)

/** These options with [action] on a failure that was retried below, in place of the policy's. */
@ShellApi public fun CallOptions.onRetriedBelow(action: WhenRetriedBelow): CallOptions = onRetriedBelow(action)
