@file:Suppress("EXTENSION_SHADOWED_BY_MEMBER") // The members are internal: other modules see the extensions alone.
@file:JvmName("Words")

package dev.reprise.core.shell.values

import dev.reprise.core.FailureKind
import dev.reprise.core.HedgeRefusal
import dev.reprise.core.Jitter
import dev.reprise.core.OnBadResult
import dev.reprise.core.QuotaCharge
import dev.reprise.core.SendRateSettings
import dev.reprise.core.ServerDelayHeader
import dev.reprise.core.ServerHints
import dev.reprise.core.StopReason
import dev.reprise.core.WhenRetriedBelow
import dev.reprise.core.shell.ShellApi

/** The field's word for this kind: `throttling`, or `transient` for the other two. */
@ShellApi public val FailureKind.word: String get() = word

/** The word in logs and metrics. */
@ShellApi public val HedgeRefusal.word: String get() = word

/** The name in policy documents. */
@ShellApi public val Jitter.word: String get() = word

/** The name in policy documents. */
@ShellApi public val OnBadResult.word: String get() = word

/** The name in policy documents. */
@ShellApi public val QuotaCharge.word: String get() = word

/** The name in policy documents. */
@ShellApi public val ServerDelayHeader.word: String get() = word

/** The name in policy documents. */
@ShellApi public val ServerHints.word: String get() = word

/** The word in traces, metrics and documents. */
@ShellApi public val StopReason.word: String get() = word

/** The word in documents. */
@ShellApi public val WhenRetriedBelow.word: String get() = word

/** How the rate is cut and raised: the name in policy documents. */
@ShellApi public val SendRateSettings.growth: String get() = growth.word
