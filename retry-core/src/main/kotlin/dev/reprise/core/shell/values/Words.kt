@file:Suppress("EXTENSION_SHADOWED_BY_MEMBER") // The members are internal: other modules see the extensions alone.
@file:JvmName("Words")

package dev.reprise.core.shell.values

import dev.reprise.core.FailureKind
import dev.reprise.core.SendRateSettings
import dev.reprise.core.ServerDelayHeader
import dev.reprise.core.shell.ShellApi
import dev.reprise.core.word as coreWord

/** The constant's name as traces, metrics and policy documents have it: in lower case and with hyphens. */
@ShellApi public val Enum<*>.word: String get() = coreWord

/** The field's word for this kind: `throttling`, or `transient` for the other two. */
@ShellApi public val FailureKind.word: String get() = word

/** The name in policy documents. */
@ShellApi public val ServerDelayHeader.word: String get() = word

/** How the rate is cut and raised: the name in policy documents. */
@ShellApi public val SendRateSettings.growth: String get() = growth.word
