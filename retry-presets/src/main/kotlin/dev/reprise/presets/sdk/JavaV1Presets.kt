package dev.reprise.presets.sdk

import dev.reprise.core.Backoff
import dev.reprise.core.Classifier
import dev.reprise.core.ErrorRule
import dev.reprise.core.ErrorTable
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
import dev.reprise.core.shell.values.UNSENT
import dev.reprise.presets.clock.ClockSkew

/**
 * The AWS SDK for Java v1, with its revisions and options. Without `throttledRetries` it has no quota: `with { quota = null }`.
 *
 * Delays are whole milliseconds. The quota is charged before a failure is judged ([QuotaCharge.FAILURES]). The six
 * codes of clock skew are always retried, as in that SDK; such a retry succeeds with a
 * [ServerClock][dev.reprise.presets.clock.ServerClock].
 */
internal object JavaV1Presets {
    private val skewCodes = ClockSkew.DEFINITE_CODES + ClockSkew.POSSIBLE_CODES - "AccessDeniedException"

    private val throttling = Parts.throttling("LimitExceededException", "TransactionInProgressException")

    private val table =
        ErrorTable(
            listOf(
                throttling,
                ErrorRule(FailureKind.THROTTLING, statuses = Statuses.of(429)),
                ErrorRule(
                    FailureKind.TRANSIENT,
                    skewCodes + setOf(
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
    private val oldTable =
        ErrorTable(
            throttling,
            ErrorRule(FailureKind.TRANSIENT, statuses = Statuses.of(500, 503)),
            ErrorRule(FailureKind.TRANSIENT, skewCodes),
        )

    /** An `IOException`, alone or as the direct cause. An `UncheckedIOException` is always final. */
    private val transport =
        ExceptionTable(
            listOf(
                Parts.rejects("java.io.UncheckedIOException"),
                CONNECT_TIMEOUTS,
                Parts.IO_TIMEOUTS,
                Parts.NOT_THE_NETWORK,
                UNSENT,
                Parts.transient("java.io.IOException"),
            ),
            depth = 2,
        )

    /** Full jitter of the [base] in ms, and equal jitter from a longer one after throttling. */
    private fun byKind(base: Long, full: Jitter = Jitter.FULL_MILLIS_FROM_ONE) =
        Backoff.perKind(Parts.exponential(base, full), Parts.exponential(500, Jitter.EQUAL_MILLIS))

    private fun full(base: Long) = Parts.exponential(base, Jitter.FULL_MILLIS_FROM_ONE)

    private fun equal(base: Long) = Parts.exponential(base, Jitter.EQUAL_MILLIS)

    private fun fullFromZero(base: Long) = byKind(base, Jitter.FULL_MILLIS_INCLUSIVE)

    private fun preset(
        name: String,
        summary: String,
        backoff: (base: Long) -> Backoff = ::byKind,
        codes: ErrorTable = table,
        isStandard: Boolean = false,
    ) = Preset(name, summary, setOf("dynamodb")) { service ->
        val isDynamoDb = service != null
        RetryPolicy {
            maxAttempts = when {
                isDynamoDb -> 11
                isStandard -> 3
                else -> 4
            }
            // Standard mode leaves DynamoDB its own.
            this.backoff = if (isDynamoDb) (if (isStandard) byKind(25) else backoff(25)) else backoff(100)
            classifier = Classifier.firstOf(SelfClassifier, codes, transport)
            if (isDynamoDb) classifyFirst(Crc32Check())
            serverDelays = emptyList()
            quota = TokenBucketSettings {
                cost(5)
                throttlingCost(if (isStandard) 5 else 0)
                timeoutCost(if (isStandard) 10 else 5)
                charge(QuotaCharge.FAILURES)
            }
            longPollingDelay = false
        }
    }

    val all: List<Preset> =
        listOf(
            preset("java-v1", "the AWS SDK for Java v1"),
            preset("java-v1-full-jitter", "the same, full jitter only", ::full),
            preset("java-v1-equal-jitter", "the same, equal jitter only", ::equal),
            preset("java-v1-2016", "its 2016 revision: full jitter from 0 ms", ::fullFromZero),
            preset("java-v1-500-503", "its older condition: 500 and 503 only", codes = oldTable),
            preset("java-v1-standard", "its standard mode", ::full, isStandard = true),
        )
}
