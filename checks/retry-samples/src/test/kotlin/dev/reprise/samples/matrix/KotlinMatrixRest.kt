package dev.reprise.samples.matrix

import dev.reprise.core.BodyNeed
import dev.reprise.core.EngineErrors
import dev.reprise.core.ErrorRule
import dev.reprise.core.ErrorTable
import dev.reprise.core.ExceptionRule
import dev.reprise.core.FailureKind
import dev.reprise.core.Jitter
import dev.reprise.core.LoggingListener
import dev.reprise.core.NoPermitException
import dev.reprise.core.OnBadResult
import dev.reprise.core.QuotaCharge
import dev.reprise.core.QuotaSettings
import dev.reprise.core.RandomSource
import dev.reprise.core.RatioQuotaSettings
import dev.reprise.core.Repeat
import dev.reprise.core.ResultScope
import dev.reprise.core.RetrierCache
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.ServerDelayHeader
import dev.reprise.core.ServerHints
import dev.reprise.core.Statuses
import dev.reprise.core.StopReason
import dev.reprise.core.TransportErrors
import dev.reprise.core.Verdict
import dev.reprise.core.shell.http.HttpRetrySettings
import dev.reprise.core.shell.http.RetryReport
import dev.reprise.core.shell.quota.Quota
import dev.reprise.core.shell.quota.SharedQuota
import dev.reprise.core.shell.quota.newQuota
import dev.reprise.core.shell.rate.RateOutcome
import dev.reprise.presets.PolicyJson
import dev.reprise.presets.botocore.RetryModel
import dev.reprise.presets.config.ConfigException
import dev.reprise.presets.config.RetryMode
import dev.reprise.presets.config.Setting
import dev.reprise.presets.document.PolicyFormatException
import kotlinx.serialization.json.JsonNull

/** Words, and what few users need. As [KotlinMatrix]. */
@Suppress("unused")
internal object KotlinMatrixRest {
    fun words(): List<Any> = listOf(
        StopReason.SUCCESS, StopReason.ATTEMPTS, StopReason.QUOTA, StopReason.DEADLINE, StopReason.TIME,
        StopReason.REJECTED,
        StopReason.NOT_REPLAYABLE, StopReason.RATE_LIMITED, StopReason.CANCELLED,
        Repeat.SAFE, Repeat.IF_UNSENT, Repeat.NEVER,
        OnBadResult.RETURN, OnBadResult.THROW,
        FailureKind.TRANSIENT, FailureKind.TIMEOUT, FailureKind.THROTTLING,
        ResultScope.NONE, ResultScope.HTTP, ResultScope.ANY,
        BodyNeed.NONE, BodyNeed.FAILURES, BodyNeed.ALL,
        RetryMode.STANDARD, RetryMode.ADAPTIVE, RetryMode.LEGACY,
        QuotaCharge.RETRIES, QuotaCharge.FAILURES,
        RateOutcome.ACCEPTED, RateOutcome.FAILED, RateOutcome.THROTTLED,
        ServerHints.CAP, ServerHints.FOLLOW, ServerHints.OFF,
        ServerDelayHeader.AMZ_MILLIS, ServerDelayHeader.RETRY_AFTER, ServerDelayHeader.RETRY_AFTER_SECONDS,
        ServerDelayHeader.RETRY_AFTER_ATOI, ServerDelayHeader.RETRY_AFTER_PARSE_INT,
        ServerDelayHeader.RETRY_AFTER_INTEGER, ServerDelayHeader.RETRY_AFTER_MILLIS,
        Jitter.NONE, Jitter.FULL, Jitter.EQUAL,
    )

    fun tables(): List<Any?> = listOf(
        ErrorTable(ErrorRule(null, Statuses.of(404))),
        ErrorTable.STANDARD.withFirst(),
        ErrorTable.HTTP,
        500 in Statuses.between(500, 504),
        Verdict.Accept,
        Verdict.Retry(FailureKind.TRANSIENT, "busy", false, null),
        ExceptionRule(null, types = setOf("java.io.IOException")),
        EngineErrors.addedTo(RetryPolicy.HTTP.classifier, TransportErrors),
    )

    /** The settings that the builders of all HTTP clients have. */
    fun settings(of: HttpRetrySettings<*>) = of.maxHosts(9).meshRetries(true).numberRetries(true)

    fun models(): List<Any> = listOf(
        RetryModel.builtIn.resolve(),
        RetryModel.builtIn.resolve("s3"),
        RetryModel.read("{}"),
        PolicyJson.read(JsonNull, "$.policy"),
    )

    fun exceptions(refused: NoPermitException): List<Any?> = listOf(
        refused.reason,
        ConfigException("profile", "must be a number", "a"),
        PolicyFormatException("$.quota", "must be an object", "1"),
        Setting("a", "code").value,
    )

    fun report(report: RetryReport): List<Any?> =
        listOf(report.attempts, report.requests, report.reason, report.totalDelay, report.trace)

    fun listeners(): List<RetryListener> =
        listOf(LoggingListener(redact = false), RetryListener { it.callId }, RetryListener { it.atNanos })

    fun drawn(draws: RandomSource): Double = draws.next()

    fun ratios(quota: Quota): List<Any> = listOf(
        RatioQuotaSettings.ENVOY,
        RatioQuotaSettings.KORA,
        quota.available("users.get"),
    )

    fun opened(settings: QuotaSettings): Quota = settings.newQuota({ System.nanoTime() })

    fun keyed() = RetrierCache<String, String>(10, { it.uppercase() }, { key, value -> println("$key $value") })

    /** A quota of the user's own. */
    class Unlimited : SharedQuota {
        override val capacity: Int get() = 1_000
        override val available: Int get() = capacity

        override fun tryTake(tokens: Int, operation: String?): Boolean = true

        override fun confirm(tokens: Int): Long = if (tokens > capacity) SharedQuota.UNPAID else 0

        override fun giveBack(tokens: Int, operation: String?): Int = tokens

        override fun succeeded(tokens: Int, operation: String?): Int = 0
    }
}
