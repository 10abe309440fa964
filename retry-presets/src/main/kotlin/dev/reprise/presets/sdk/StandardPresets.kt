package dev.reprise.presets.sdk

import dev.reprise.core.Backoff
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.core.SteadyQuotaSettings
import dev.reprise.core.TokenBucketSettings
import dev.reprise.core.shell.http.Crc32Check
import java.util.Arrays
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/** Standard and adaptive mode, as the AWS SDKs' shared specifications have them. */
internal object StandardPresets {
    // Java's collections, as in all that a preset by name needs: Kotlin's cost the first call of a program 35 ms.
    private val DYNAMODB = LinkedHashSet(Arrays.asList("dynamodb", "dynamodbstreams", "streams.dynamodb"))

    /**
     * Since November 2026: DynamoDB and its streams have 4 attempts and half the base after transient failures. DynamoDB's
     * checksums are looked at, as in botocore's standard mode, where the shell has the body; none reads one for it.
     */
    private val standard21 =
        Preset("standard-2.1", "standard mode since November 2026, the default", DYNAMODB) { service ->
            when (service) {
                null -> RetryPolicy.STANDARD
                "dynamodb" -> dynamoDb.with { classifyFirst(Crc32Check()) }
                else -> dynamoDb
            }
        }

    private val dynamoDb: RetryPolicy
        get() = RetryPolicy {
            maxAttempts = 4
            backoff = Backoff.exponential(base = 25.milliseconds, throttlingBase = 1.seconds, cap = 20.seconds)
        }

    /** Before 2026: one base of 1 s for every class, 5 tokens for a retry, 10 after a timeout; no header, no service. */
    private val standard20 =
        Preset("standard-2.0", "standard mode before 2026, as the shared specification had it") {
            RetryPolicy {
                backoff = Backoff.exponential(base = 1.seconds, cap = 20.seconds)
                quota = TokenBucketSettings.builder().cost(5).throttlingCost(5).timeoutCost(10).build()
                serverDelays = emptyList()
                longPollingDelay = false
            }
        }

    /** Ours: a quota that follows the client's traffic, for fleets of small clients. The rest is standard-2.1. */
    private val standardSteady =
        Preset("standard-steady", "standard-2.1 with a quota for clients of any size", DYNAMODB) { service ->
            standard21.policy(service).with { quota = SteadyQuotaSettings.DEFAULT }
        }

    private fun adaptive(
        name: String,
        summary: String,
        standard: Preset,
        rate: SendRateSettings = SendRateSettings.EXACT,
    ) = Preset(name, summary, standard.services) { service -> standard.policy(service).with { sendRate = rate } }

    private val http =
        Preset("http", "standard-2.1 for any HTTP server: 408 and 425 too, Retry-After up to a minute") {
            RetryPolicy.HTTP
        }

    private val anyException =
        Preset("any-exception", "standard-2.1 that retries every exception but errors and programming mistakes") {
            RetryPolicy.ANY_EXCEPTION
        }

    val all: List<Preset> =
        Arrays.asList(
            standard21,
            standard20,
            standardSteady,
            adaptive("adaptive-2.1", "standard-2.1 with the SDKs' send-rate limiter", standard21),
            adaptive("adaptive-2.0", "standard-2.0 with the SDKs' send-rate limiter", standard20),
            adaptive(
                "adaptive-steady",
                "standard-steady with a steadier send-rate limiter",
                standardSteady,
                SendRateSettings.STEADY,
            ),
            http,
            anyException,
        )
}
