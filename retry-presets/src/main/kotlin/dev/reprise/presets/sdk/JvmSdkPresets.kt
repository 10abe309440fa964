package dev.reprise.presets.sdk

import dev.reprise.core.Backoff
import dev.reprise.core.Classifier
import dev.reprise.core.ErrorRule
import dev.reprise.core.ErrorTable
import dev.reprise.core.ExceptionTable
import dev.reprise.core.FailureKind
import dev.reprise.core.Jitter
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SelfClassifier
import dev.reprise.core.ServerDelayBound
import dev.reprise.core.ServerDelayHeader
import dev.reprise.core.ServerDelayRule
import dev.reprise.core.Statuses
import dev.reprise.core.TokenBucketSettings
import dev.reprise.core.TransportErrors
import dev.reprise.core.shell.values.CONNECT_TIMEOUTS
import dev.reprise.core.shell.values.UNSENT
import dev.reprise.presets.clock.ClockSkew
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/**
 * The AWS SDK for Java v2 to 2.57, whose legacy mode later versions still have, and that for Kotlin without its opt-in to 2.1.
 *
 * One defect is not copied: Java v2 throws out of the call at a negative `Retry-After`, which is ignored here. A
 * `Retry-After` has no bound there, and so none here; set a deadline, or another bound.
 */
internal object JvmSdkPresets {
    /** Throttling is asked for first, and a 429 is throttling whatever its code. */
    private val javaV2Codes =
        ErrorTable(
            Parts.throttling("LimitExceededException", "PriorRequestNotComplete"),
            ErrorRule(FailureKind.THROTTLING, statuses = Statuses.of(429)),
            Parts.codes(
                "RequestTimeout",
                "RequestTimeoutException",
                "InternalError",
                "PriorRequestNotComplete",
                *ClockSkew.DEFINITE_CODES.toTypedArray(),
            ),
            ErrorRule(FailureKind.TRANSIENT, statuses = Statuses.of(500, 502, 503, 504)),
        )

    private val retryAfter =
        ServerDelayRule.of(ServerDelayHeader.RETRY_AFTER_INTEGER, ServerDelayBound.atLeast(Duration.INFINITE))

    /** The failure itself or its direct cause, and no further. */
    private val javaV2Transport =
        ExceptionTable(
            listOf(
                CONNECT_TIMEOUTS,
                Parts.IO_TIMEOUTS,
                Parts.NOT_THE_NETWORK,
                UNSENT,
                Parts.transient("java.io.IOException", "java.io.UncheckedIOException"),
            ),
            depth = 2,
        )

    /** DynamoDB's client has 9 attempts in every mode, and a quarter of the [backoff]'s base after transient failures. */
    private fun javaV2(
        name: String,
        summary: String,
        attempts: Int,
        throttlingCost: Int,
        backoff: (baseMillis: Long) -> Backoff,
    ) = Preset(name, summary, setOf("dynamodb")) { service ->
        RetryPolicy {
            maxAttempts = if (service == null) attempts else 9
            this.backoff = backoff(if (service == null) 100 else 25)
            classifier = Classifier.firstOf(SelfClassifier, javaV2Codes, javaV2Transport)
            // In whole seconds, never earlier than asked.
            serverDelays = listOf(retryAfter)
            quota = TokenBucketSettings.builder().cost(5).throttlingCost(throttlingCost).build()
            longPollingDelay = false
        }
    }

    private val javaV2Legacy =
        javaV2("java-v2-legacy", "the default of the AWS SDK for Java v2 to 2.57", attempts = 4, throttlingCost = 0) {
            Backoff.perKind(Parts.exponential(it, Jitter.FULL_MILLIS), Parts.exponential(500, Jitter.EQUAL_MILLIS))
        }

    private val javaV2Standard =
        javaV2(
            "java-v2-standard",
            "standard mode of the AWS SDK for Java v2, before 2.1",
            attempts = 3,
            throttlingCost = 5,
        ) {
            Parts.exponential(it, Jitter.FULL_MILLIS, throttlingBaseMillis = 1000)
        }

    private val kotlinCodes =
        ErrorTable(
            Parts.throttling(),
            Parts.codes("RequestTimeout", "RequestTimeoutException", "IDPCommunicationError"),
            ErrorRule(FailureKind.TRANSIENT, statuses = Statuses.of(500, 502, 503, 504)),
        )

    private val kotlinStandard =
        Preset("kotlin-standard", "standard mode of the AWS SDK for Kotlin, before 2.1") {
            RetryPolicy {
                backoff =
                    Backoff.exponential(10.milliseconds, 1.seconds, factor = 1.5, jitter = Jitter.FULL_TRUNCATED_MILLIS)
                classifier = Classifier.firstOf(SelfClassifier, kotlinCodes, TransportErrors)
                quota = TokenBucketSettings.builder().cost(10).throttlingCost(10).build()
                longPollingDelay = false
            }
        }

    val all: List<Preset> = listOf(javaV2Legacy, javaV2Standard, kotlinStandard)
}
