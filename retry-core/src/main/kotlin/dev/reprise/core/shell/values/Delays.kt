@file:Suppress("EXTENSION_SHADOWED_BY_MEMBER") // The members are internal: other modules see the extensions alone.
@file:JvmName("Delays")

package dev.reprise.core.shell.values

import dev.reprise.core.HttpOutcome
import dev.reprise.core.ServerDelay
import dev.reprise.core.ServerDelayBound
import dev.reprise.core.ServerDelayHeader
import dev.reprise.core.ServerDelayRule
import dev.reprise.core.Statuses
import dev.reprise.core.shell.ShellApi
import dev.reprise.core.ServerDelay as Delay
import dev.reprise.core.ServerDelayRule as Rule

/** A server asks for [nanos], which is followed as far as [rule] says. */
@ShellApi public fun ServerDelay(nanos: Long, rule: ServerDelayRule?): ServerDelay = Delay(nanos, rule)

/** A server sets the wait to [nanos] and the backoff back to its base; negative to stop. As gRPC's pushback does. */
@ShellApi public fun exactServerDelay(nanos: Long): ServerDelay = ServerDelay.exactly(nanos)

/** [header], followed as far as [bound] says; on these [statuses], empty for all. */
@ShellApi public fun ServerDelayRule(
    header: ServerDelayHeader,
    bound: ServerDelayBound,
    statuses: Statuses = Statuses.NONE,
): ServerDelayRule = Rule(header, bound, statuses)

/** The header and its format. */
@ShellApi public val ServerDelayRule.header: ServerDelayHeader get() = header

/** How what the server asks for and the backoff make one delay. */
@ShellApi public val ServerDelayRule.bound: ServerDelayBound get() = bound

/** The statuses on which the header is read; empty for all. */
@ShellApi public val ServerDelayRule.statuses: Statuses get() = statuses

/** The delay that [response] asks for in ns; a value below all of them where the header is absent or cannot be read. */
@ShellApi public fun ServerDelayHeader.read(response: HttpOutcome): Long = read(response)

/** The delay in ns, from a [backoffNanos] that is not negative and the delay of [askedNanos]. Negative if the policy gives up instead. */
@ShellApi public fun ServerDelayBound.delayNanos(backoffNanos: Long, askedNanos: Long): Long =
    delayNanos(backoffNanos, askedNanos)

/** The name of this bound in policy documents: `clamp`, `atLeast` or `add`. */
@ShellApi public val ServerDelayBound.word: String get() = word

/** The limit of this bound in ns. */
@ShellApi public val ServerDelayBound.limitNanos: Long get() = limitNanos

/** Whether a call waits as long as this allows, where the server asks for more: `atMost`. */
@ShellApi public val ServerDelayBound.isWaitedOut: Boolean get() = this is ServerDelayBound.AtLeast && !giveUpBeyondCap
