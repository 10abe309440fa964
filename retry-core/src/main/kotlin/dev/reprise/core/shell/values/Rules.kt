@file:Suppress("EXTENSION_SHADOWED_BY_MEMBER") // The members are internal: other modules see the extensions alone.
@file:JvmName("Rules")

package dev.reprise.core.shell.values

import dev.reprise.core.Classifier
import dev.reprise.core.ErrorRule
import dev.reprise.core.ErrorTable
import dev.reprise.core.ExceptionRule
import dev.reprise.core.ExceptionTable
import dev.reprise.core.FailureKind
import dev.reprise.core.HttpOutcome
import dev.reprise.core.ShouldRetry
import dev.reprise.core.Statuses
import dev.reprise.core.Verdict
import dev.reprise.core.shell.ShellApi
import dev.reprise.core.ErrorTable as Table
import dev.reprise.core.httpOf as coreHttpOf
import dev.reprise.core.outcomeText as coreText
import dev.reprise.core.sentAtEpochMillis as coreSentAt

/** The kind of failure, or `null` for a failure that is final. */
@ShellApi public val ErrorRule.kind: FailureKind? get() = kind

/** The service error codes; empty for any, and for none. */
@ShellApi public val ErrorRule.codes: Set<String> get() = codes

/** The HTTP statuses; empty for any. */
@ShellApi public val ErrorRule.statuses: Statuses get() = statuses

/** A text that the error message must contain, or `null` for any message. */
@ShellApi public val ErrorRule.message: String? get() = message

/** The kind of failure, or `null` for a failure that is final. */
@ShellApi public val ExceptionRule.kind: FailureKind? get() = kind

/** Names of classes; at least one. */
@ShellApi public val ExceptionRule.types: Set<String> get() = types

/** A text that the exception's message must contain, or `null` for any message. */
@ShellApi public val ExceptionRule.message: String? get() = message

/** Whether the failure proves that nothing reached the server. */
@ShellApi public val ExceptionRule.unsent: Boolean get() = unsent

/** Connections that took too long: timeouts that prove that nothing reached the server. Ask it before [TIMEOUTS]. */
@ShellApi public val CONNECT_TIMEOUTS: ExceptionRule get() = ExceptionRule.CONNECT_TIMEOUTS

/** Timeouts of a read or a whole request, and of the JVM's own futures and locks. */
@ShellApi public val TIMEOUTS: ExceptionRule get() = ExceptionRule.TIMEOUTS

/** Failures that prove that nothing reached the server. */
@ShellApi public val UNSENT: ExceptionRule get() = ExceptionRule.UNSENT

/** The rows, first asked first. */
@ShellApi public val ErrorTable.rules: List<ErrorRule> get() = rules

/** Whether a code such as `400 Throttling`, with the response's own status in front, is read without that status. */
@ShellApi public val ErrorTable.dropsStatus: Boolean get() = dropsStatus

/** The table of these [rules]; [dropsStatus] reads a code such as `400 Throttling` as `Throttling`. */
@ShellApi public fun ErrorTable(rules: List<ErrorRule>, dropsStatus: Boolean): ErrorTable = Table(rules, dropsStatus)

/** The rows, first asked first. */
@ShellApi public val ExceptionTable.rules: List<ExceptionRule> get() = rules

/** How many exceptions of the chain are looked at. */
@ShellApi public val ExceptionTable.depth: Int get() = depth

/** The ranges, in the order given. */
@ShellApi public val Statuses.ranges: List<IntRange> get() = ranges

/** The statuses of all [ranges]; each must be within 100 to 999 and not run backwards. */
@ShellApi public fun statusesOf(ranges: List<IntRange>): Statuses = Statuses.ofRanges(ranges)

/** The classifiers that this asks, first asked first; itself if it is no chain. */
@ShellApi public fun Classifier.parts(): List<Classifier> = Classifier.partsOf(this)

/** The response that [failure] stands for, if this can read it; else `null`. */
@ShellApi public fun Classifier.responseOf(failure: Throwable): HttpOutcome? = Classifier.responseOf(this, failure)

/** The response that [failure] or one of its causes carries, or `null`. */
@ShellApi public fun httpOf(failure: Throwable): HttpOutcome? = coreHttpOf(failure)

/** When the server says that it sent this response, in ms since 1970; `null` if it does not say. */
@ShellApi public fun HttpOutcome.sentAtEpochMillis(): Long? = coreSentAt()

/** An attempt's outcome as text: an exception, or a result that was not accepted. */
@ShellApi public fun outcomeText(outcome: Any?): String = coreText(outcome)

/** This verdict on a failure that stands for [response], as only its shell knows. Does not count in comparisons. */
@ShellApi public fun Verdict.Retry.on(response: HttpOutcome): Verdict.Retry = on(response)

/** This verdict on a failure that a retrier nearer to it has given up on, as only its shell knows. */
@ShellApi public fun Verdict.Retry.retriedBelow(): Verdict.Retry = retriedBelow()

/** The header that servers with a plugin of this library send, as `false`; OpenAI and Anthropic send it too. */
@ShellApi public const val SHOULD_RETRY: String = ShouldRetry.HEADER
