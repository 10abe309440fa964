package dev.reprise.samples.matrix

import dev.reprise.core.Backoff
import dev.reprise.core.BodyNeed
import dev.reprise.core.Classifier
import dev.reprise.core.EngineErrors
import dev.reprise.core.ErrorRule
import dev.reprise.core.ErrorTable
import dev.reprise.core.ExceptionRule
import dev.reprise.core.ExceptionTable
import dev.reprise.core.FailureKind
import dev.reprise.core.HttpFailure
import dev.reprise.core.HttpOutcome
import dev.reprise.core.Jitter
import dev.reprise.core.NoPermit
import dev.reprise.core.OnBadResult
import dev.reprise.core.ResponseReader
import dev.reprise.core.ResultScope
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryableFailure
import dev.reprise.core.SelfClassifier
import dev.reprise.core.SendRateSettings
import dev.reprise.core.ServerDelay
import dev.reprise.core.ServerDelayBound
import dev.reprise.core.ServerDelayHeader
import dev.reprise.core.ServerDelayRule
import dev.reprise.core.SqlErrors
import dev.reprise.core.Statuses
import dev.reprise.core.TokenBucketSettings
import dev.reprise.core.TransportErrors
import dev.reprise.core.Verdict
import dev.reprise.core.shell.http.Crc32Check
import dev.reprise.core.shell.http.ErrorCodes
import dev.reprise.presets.clock.ClockSkew
import java.io.FileNotFoundException
import java.io.IOException
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds

/**
 * The public members of retry-core as a user in Kotlin writes them. That this compiles, without an opt-in, is the test;
 * `MatrixTest` says which members are missing. Nothing here is a good example.
 */
@Suppress("unused", "UNUSED_VARIABLE")
internal object KotlinMatrix {
    fun policies() {
        val policy = RetryPolicy {
            maxAttempts = 5
            unlimitedAttempts()
            deadline = 10.seconds
            deadline = null
            stopAfter = 9.seconds
            attemptTimeout = 2.seconds
            attemptTimeouts = listOf(1.seconds, 2.seconds)
            backoff = Backoff.STANDARD
            classifier = RetryPolicy.HTTP.classifier
            classifyFirst(SqlErrors)
            retryOn<IOException>()
            retryOn<IOException>(FailureKind.THROTTLING)
            rejectOn<FileNotFoundException>()
            onFailure { if (it is IOException) Verdict.TRANSIENT else null }
            onResult { if (it == "later") Verdict.THROTTLING else null }
            serverDelays =
                listOf(ServerDelayRule.of(ServerDelayHeader.RETRY_AFTER, ServerDelayBound.atLeast(1.minutes)))
            honourRetryAfter(cap = 30.seconds)
            honourRetryAfter(cap = 30.seconds, giveUpBeyondCap = false)
            quota = TokenBucketSettings.STANDARD
            noQuota()
            sendRate = SendRateSettings.STEADY
            onNoPermit = NoPermit.waitAtMost(2.seconds)
            onBadResult = OnBadResult.THROW
            longPollingDelay = false
            trace = false
        }
        val same: RetryPolicy = policy.toBuilder().build().with { maxAttempts = 3 }
        val limits: Triple<Duration?, Duration?, List<Duration>> =
            Triple(same.deadline, same.attemptTimeout ?: same.stopAfter, same.attemptTimeouts)
        val parts = listOf(
            same.maxAttempts, same.backoff, same.classifier, same.serverDelays, same.quota, same.sendRate,
            same.onNoPermit, same.onBadResult, same.longPollingDelay, same.trace, same.warnings,
        )
        val known = listOf(
            RetryPolicy.STANDARD,
            RetryPolicy.STANDARD_STEADY,
            RetryPolicy.ADAPTIVE_STEADY,
            RetryPolicy.HTTP,
            RetryPolicy.ANY_EXCEPTION,
            RetryPolicy.NONE,
            RetryPolicy.builder().build(),
            RetryPolicy { noBackoff() },
            RetryPolicy { exponentialBackoff(1.seconds, cap = 9.seconds, Jitter.EQUAL) },
            RetryPolicy { fixedBackoff(1.seconds, Jitter.FULL) },
        )
    }

    fun backoffs() = listOf(
        Backoff.IMMEDIATE,
        Backoff.fixed(1.seconds),
        Backoff.fixed(1.seconds, Jitter.FULL),
        Backoff.linear(1.seconds, step = 2.seconds, cap = 9.seconds, Jitter.EQUAL),
        Backoff.exponential(
            50.milliseconds,
            throttlingBase = 1.seconds,
            factor = 1.5,
            cap = 5.seconds,
            firstExponent = 1,
        ),
        Backoff.decorrelated(50.milliseconds, cap = 20.seconds),
        Backoff.perKind(Backoff.IMMEDIATE, throttling = Backoff.fixed(1.seconds)),
        Backoff.custom { retry -> if (retry.elapsed > 1.minutes) null else 50.milliseconds * (retry.retryIndex + 1) },
        Backoff.custom(Jitter.FULL) { retry ->
            if (retry.failure is IOException || retry.result == "later" || retry.kind == FailureKind.TIMEOUT) {
                retry.previousDelay?.times(2) ?: 1.seconds
            } else {
                null
            }
        },
    )

    fun classifiers(): Classifier {
        val rows = listOf(
            ErrorRule(FailureKind.TRANSIENT, codes = setOf("a"), statuses = Statuses.of(500, 503)),
            ErrorRule(null, codes = setOf("b"), statuses = Statuses.between(400, 499), message = "quota"),
        )
        val table = ErrorTable(rows).withFirst(
            ErrorRule(FailureKind.THROTTLING, codes = ErrorTable.THROTTLING_CODES),
        )
        val named =
            ExceptionRule(
                FailureKind.TIMEOUT,
                types = setOf("java.net.SocketTimeoutException"),
                message = "read",
                unsent = false,
            )
        val exceptions = ExceptionTable(listOf(named), depth = 2)
        val told = listOf(exceptions, Crc32Check("x").header)
        val skew = ClockSkew {
            definiteCodes(ClockSkew.DEFINITE_CODES)
            possibleCodes(ClockSkew.POSSIBLE_CODES)
            threshold(4.minutes)
        }
        val listed = listOf(
            skew.definiteCodes,
            skew.possibleCodes,
            skew.threshold,
            Statuses.NONE.isEmpty,
            500 in Statuses.of(500),
        )
        val verdict = table.classifyResult(Response(503)) ?: exceptions.classifyFailure(IOException())
        val all = Classifier.firstOf(
            SelfClassifier,
            table,
            ErrorTable(rows),
            ExceptionTable(listOf(named)),
            Crc32Check(),
        )
        val own =
            Classifier.failures { null } or Classifier.results { null } or Classifier.results(BodyNeed.ALL) { null }
        val types = Classifier.onException(IOException::class.java) or Classifier.onCause(IOException::class.java)
        return EngineErrors.addedTo(
            all or own or types or TransportErrors or skew or ClockSkew.STANDARD or Classifier.NONE,
        )
    }

    class OwnClassifier : ResponseReader {
        override fun classifyFailure(failure: Throwable): Verdict? = Verdict.TIMEOUT

        override fun responseOf(failure: Throwable): HttpOutcome? = null

        override fun classifyResult(result: Any?): Verdict? = Verdict.Reject

        override val resultScope: ResultScope get() = ResultScope.HTTP

        override val bodyNeed: BodyNeed get() = RetryPolicy.HTTP.classifier.bodyNeed
    }

    class Response(override val status: Int) : HttpOutcome() {
        override val errorCode: String? get() = header(ErrorCodes.HEADER)?.let(ErrorCodes::ofHeader)
            ?: body?.let(ErrorCodes::ofBody)
        override val errorMessage: String? get() = body?.let(ErrorCodes::messageOfBody)
        override val body: ByteArray? get() = null
        override val receivedAtEpochMillis: Long get() = UNKNOWN_TIME

        override fun header(name: String): String? = null
    }

    class Refused(override val http: HttpOutcome) :
        RuntimeException(),
        HttpFailure

    class Busy :
        RuntimeException(),
        RetryableFailure {
        override val failureKind: FailureKind? get() = FailureKind.THROTTLING
        override val serverDelay: Duration? get() = 3.seconds
    }

    fun verdicts(verdict: Verdict): String = when (verdict) {
        Verdict.Accept -> "accept"

        Verdict.Reject -> "reject"

        is Verdict.Retry -> listOf(
            verdict.kind,
            verdict.why,
            verdict.unsent,
            verdict.serverDelay?.delay,
            verdict.serverDelay?.rule,
        ).joinToString()
    } + Verdict.Retry(FailureKind.TRANSIENT) + Verdict.Retry(FailureKind.TRANSIENT, "busy") +
        Verdict.Retry(FailureKind.TRANSIENT, "refused", unsent = true).withServerDelay(ServerDelay.of(1.seconds))

    fun serverDelays() = listOf(
        ServerDelayBound.clamp(5.seconds),
        ServerDelayBound.atLeast(1.minutes),
        ServerDelayBound.atMost(1.minutes),
        ServerDelayBound.add(1.minutes),
    ).map { ServerDelayRule.of(ServerDelayHeader.AMZ_MILLIS, it).on(Statuses.of(503)) }
        .map { "$it, ${ServerDelayHeader.AMZ_MILLIS.headerName}" }
}
