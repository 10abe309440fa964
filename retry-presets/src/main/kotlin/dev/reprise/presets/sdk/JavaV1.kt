package dev.reprise.presets.sdk

import dev.reprise.core.Backoff
import dev.reprise.core.Classifier
import dev.reprise.core.ErrorRule
import dev.reprise.core.ErrorTable
import dev.reprise.core.ExceptionRule
import dev.reprise.core.ExceptionTable
import dev.reprise.core.FailureKind
import dev.reprise.core.Jitter
import dev.reprise.core.QuotaCharge
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SelfClassifier
import dev.reprise.core.Statuses
import dev.reprise.core.TokenBucketSettings
import dev.reprise.core.shell.http.Crc32Check
import dev.reprise.core.shell.values.CONNECT_TIMEOUTS
import dev.reprise.core.shell.values.ErrorTable
import dev.reprise.core.shell.values.PerKindBackoff
import dev.reprise.core.shell.values.UNSENT
import dev.reprise.presets.clock.ClockSkew

/**
 * The AWS SDK for Java v1, with its revisions and options: set the differences and ask for the [policy].
 *
 * ```
 * JavaV1 {
 *     jitter(JavaV1.JitterChoice.EQUAL)
 *     throttledRetries(false)
 * }.policy("dynamodb")
 * ```
 *
 * Delays are whole milliseconds. The quota is charged before a failure is judged ([QuotaCharge.FAILURES]). The six
 * codes of clock skew are always retried, as in that SDK; such a retry succeeds with a
 * [ServerClock][dev.reprise.presets.clock.ServerClock]. Immutable; compares by value.
 */
public class JavaV1 private constructor(builder: Builder) {
    /** The backoff strategy. */
    public val jitter: JitterChoice = builder.jitter

    /** The 2016 revision, whose full jitter starts at 0 ms and not at 1. */
    public val fullJitterFromZero: Boolean = builder.fullJitterFromZero

    /** The condition of older revisions, which articles quote: of the statuses only 500 and 503, and fewer codes. */
    public val only500And503: Boolean = builder.only500And503

    /** The SDK's own standard mode: 3 attempts, full jitter, a cost for throttling and a higher one for timeouts. */
    public val standardMode: Boolean = builder.standardMode

    /** Whether retries are paid for. */
    public val throttledRetries: Boolean = builder.throttledRetries

    /** The SDK's backoff strategies. */
    public enum class JitterChoice {
        /** Full jitter, and equal jitter from a longer base after throttling: the default. */
        BY_KIND,

        /** Full jitter for everything. */
        FULL,

        /** Equal jitter for everything. */
        EQUAL,
    }

    /** The policy for [service]; `dynamodb` has one of its own. */
    @JvmOverloads
    public fun policy(service: String? = null): RetryPolicy {
        val isDynamoDb = service?.let { ServiceName.match(it, setOf(DYNAMODB)) } != null
        return RetryPolicy {
            maxAttempts = 1 + if (isDynamoDb) {
                10
            } else if (standardMode) {
                2
            } else {
                3
            }
            backoff = backoff(isDynamoDb)
            classifier = classifier(isDynamoDb)
            serverDelays = emptyList()
            quota = if (throttledRetries) quota() else null
            longPollingDelay = false
        }
    }

    private fun backoff(isDynamoDb: Boolean): Backoff {
        val base = if (isDynamoDb) 25L else 100L
        val full = if (fullJitterFromZero) Jitter.FULL_MILLIS_INCLUSIVE else Jitter.FULL_MILLIS_FROM_ONE
        // Standard mode has full jitter for everything, but leaves DynamoDB its own.
        val choice = if (standardMode && !isDynamoDb && jitter == JitterChoice.BY_KIND) JitterChoice.FULL else jitter
        return when (choice) {
            JitterChoice.BY_KIND ->
                PerKindBackoff(Parts.exponential(base, full), Parts.exponential(THROTTLING_BASE, Jitter.EQUAL_MILLIS))

            JitterChoice.FULL -> Parts.exponential(base, full)

            JitterChoice.EQUAL -> Parts.exponential(base, Jitter.EQUAL_MILLIS)
        }
    }

    private fun quota() = TokenBucketSettings {
        cost(5)
        throttlingCost(if (standardMode) 5 else 0)
        timeoutCost(if (standardMode) 10 else 5)
        charge(QuotaCharge.FAILURES)
    }

    private fun classifier(isDynamoDb: Boolean): Classifier {
        val table = if (only500And503) OLD_TABLE else TABLE
        val rest = Classifier.firstOf(SelfClassifier, table, TRANSPORT)
        return if (isDynamoDb) Classifier.firstOf(Crc32Check(), rest) else rest
    }

    override fun equals(other: Any?): Boolean = other is JavaV1 && members() == other.members()

    override fun hashCode(): Int = members().hashCode()

    override fun toString(): String = "java-v1(jitter $jitter, fullJitterFromZero $fullJitterFromZero, " +
        "only500And503 $only500And503, standardMode $standardMode, throttledRetries $throttledRetries)"

    private fun members(): List<Any> = listOf(jitter, fullJitterFromZero, only500And503, standardMode, throttledRetries)

    /** Builds [JavaV1]. Not thread-safe. */
    public class Builder internal constructor() {
        internal var jitter: JitterChoice = JitterChoice.BY_KIND

        internal var fullJitterFromZero: Boolean = false

        internal var only500And503: Boolean = false

        internal var standardMode: Boolean = false

        internal var throttledRetries: Boolean = true

        /** Sets which backoff strategy is used. */
        public fun jitter(choice: JitterChoice): Builder = apply { jitter = choice }

        /** Sets whether full jitter starts at 0 ms, as in the 2016 revision. */
        public fun fullJitterFromZero(isFromZero: Boolean): Builder = apply { fullJitterFromZero = isFromZero }

        /** Sets whether the condition is the one of older revisions. */
        public fun only500And503(isOnly: Boolean): Builder = apply { only500And503 = isOnly }

        /** Sets whether this is the SDK's own standard mode. */
        public fun standardMode(isStandard: Boolean): Builder = apply { standardMode = isStandard }

        /** Sets whether retries are paid for. */
        public fun throttledRetries(isPaid: Boolean): Builder = apply { throttledRetries = isPaid }

        /** Returns the options. */
        public fun build(): JavaV1 = JavaV1(this)
    }

    public companion object {
        /** A builder that starts from the SDK's defaults. */
        @JvmStatic
        public fun builder(): Builder = Builder()

        /** The SDK's defaults with [changes]. */
        @JvmSynthetic
        public operator fun invoke(changes: Builder.() -> Unit): JavaV1 = Builder().apply(changes).build()

        private const val DYNAMODB = "dynamodb"
        private const val THROTTLING_BASE = 500L

        private val SKEW_CODES = ClockSkew.DEFINITE_CODES + ClockSkew.POSSIBLE_CODES - "AccessDeniedException"

        private val THROTTLING =
            ErrorRule(
                FailureKind.THROTTLING,
                ErrorTable.THROTTLING_CODES - setOf("LimitExceededException", "TransactionInProgressException"),
            )

        private val TABLE =
            ErrorTable(
                listOf(
                    THROTTLING,
                    ErrorRule(FailureKind.THROTTLING, statuses = Statuses.of(429)),
                    ErrorRule(
                        FailureKind.TRANSIENT,
                        SKEW_CODES + setOf(
                            "TransactionInProgressException",
                            "RequestTimeout",
                            "RequestTimeoutException",
                            "IDPCommunicationError",
                        ),
                    ),
                    ErrorRule(FailureKind.TRANSIENT, statuses = Statuses.of(500, 502, 503, 504)),
                ),
                dropsStatus = true,
            )

        /** The condition of older revisions, which articles quote. */
        private val OLD_TABLE =
            ErrorTable(
                THROTTLING,
                ErrorRule(FailureKind.TRANSIENT, statuses = Statuses.of(500, 503)),
                ErrorRule(FailureKind.TRANSIENT, SKEW_CODES),
            )

        /** An `IOException`, alone or as the direct cause. An `UncheckedIOException` is always final. */
        private val TRANSPORT =
            ExceptionTable(
                listOf(
                    ExceptionRule(null, setOf("java.io.UncheckedIOException")),
                    CONNECT_TIMEOUTS,
                    Parts.IO_TIMEOUTS,
                    Parts.NOT_THE_NETWORK,
                    UNSENT,
                    Parts.transient("java.io.IOException"),
                ),
                depth = 2,
            )

        private fun preset(name: String, summary: String, changes: Builder.() -> Unit): Preset {
            val options = JavaV1(changes)
            return Preset(name, summary, setOf(DYNAMODB)) { options.policy(it) }
        }

        internal val all: List<Preset> =
            listOf(
                preset("java-v1", "the AWS SDK for Java v1") { },
                preset("java-v1-full-jitter", "the same, full jitter only") { jitter = JitterChoice.FULL },
                preset("java-v1-equal-jitter", "the same, equal jitter only") { jitter = JitterChoice.EQUAL },
                preset("java-v1-2016", "its 2016 revision: full jitter from 0 ms") { fullJitterFromZero = true },
                preset("java-v1-500-503", "its older condition: 500 and 503 only") { only500And503 = true },
                preset("java-v1-standard", "its standard mode") { standardMode = true },
            )
    }
}
