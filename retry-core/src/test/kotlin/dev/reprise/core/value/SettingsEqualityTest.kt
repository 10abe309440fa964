package dev.reprise.core.value

import dev.reprise.core.CallOptions
import dev.reprise.core.OnBadResult
import dev.reprise.core.Repeat
import dev.reprise.core.RetryPolicy
import dev.reprise.core.backoff.Backoff
import dev.reprise.core.classify.Classifier
import dev.reprise.core.classify.ClockSkew
import dev.reprise.core.classify.Crc32Check
import dev.reprise.core.classify.ServerDelayBound
import dev.reprise.core.classify.ServerDelayHeader
import dev.reprise.core.classify.ServerDelayRule
import dev.reprise.core.classify.TransportErrors
import dev.reprise.presets.config.ConfigOverrides
import dev.reprise.presets.config.RetryMode
import dev.reprise.presets.PolicyJson
import dev.reprise.presets.sdk.JavaV1
import dev.reprise.core.quota.QuotaCharge
import dev.reprise.core.quota.QuotaSettings
import dev.reprise.core.quota.RatioQuotaSettings
import dev.reprise.core.quota.SteadyQuotaSettings
import dev.reprise.core.quota.TokenBucketSettings
import dev.reprise.core.rate.GrowthRule
import dev.reprise.core.rate.NoPermit
import dev.reprise.core.rate.RateHint
import dev.reprise.core.rate.SendRateSettings
import dev.reprise.core.rate.ServerHints
import dev.reprise.core.rate.SteadySettings
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlin.time.Duration
import kotlin.time.Duration.Companion.nanoseconds
import kotlin.time.Duration.Companion.seconds

private val FLAGS = listOf(false, true)
private val COSTS = listOf(14, 15, 90)
private val SHARES = listOf(0.5, 0.25, 1.0)
private val CODES = listOf(setOf("a"), setOf("b"), emptySet())
private val LIMITS = listOf(null, 1.seconds, 1.nanoseconds)
private val NAMES = listOf(null, "a", "b")

internal val SETTINGS =
    listOf(
        ValueType("TokenBucketSettings", listOf(500, 1), COSTS, COSTS, COSTS, listOf(1, 0), QuotaCharge.entries) {
            TokenBucketSettings {
                capacity = next()
                cost = next()
                throttlingCost = next()
                timeoutCost = next()
                firstTryRefund = next()
                charge = next()
            }
        },
        ValueType(
            "SteadyQuotaSettings", listOf(500, 50), COSTS, COSTS, COSTS, listOf(2, 3), listOf(1, 0), listOf(41, 1),
            listOf(5.0, 0.5), SHARES, listOf(64, 0),
        ) {
            SteadyQuotaSettings {
                capacity = next()
                cost = next()
                throttlingCost = next()
                timeoutCost = next()
                firstTryRefund = next()
                reserveRefund = next()
                leastCapacity = next()
                seconds = next()
                operationShare = next()
                operations = next()
            }
        },
        ValueType("RatioQuotaSettings", listOf(20, 0), listOf(10, 0), listOf(10, 60)) {
            RatioQuotaSettings {
                percent = next()
                perSecond = next()
                windowSeconds = next()
            }
        },
        ValueType(
            "SendRateSettings", GrowthRule.entries,
            SHARES.dropLast(1),
            SHARES, SHARES, SHARES, listOf(1.0, 2.5), SHARES,
            listOf(2.0, 1.0), listOf(SteadySettings.DEFAULT, SteadySettings { deepestCut = 0.9 }),
        ) {
            SendRateSettings {
                growth = next()
                beta = next()
                scale = next()
                smoothing = next()
                minFillRate = next()
                minCapacity = next()
                bucketSeconds = next()
                maxRateOverMeasured = next()
                steady = next()
            }
        },
        ValueType(
            "SteadySettings", SHARES, SHARES, SHARES, SHARES, SHARES, SHARES, SHARES, SHARES, SHARES, SHARES,
            ServerHints.entries,
        ) {
            SteadySettings {
                recoverySeconds = next()
                gentleBelow = next()
                burstAttempts = next()
                burstSeconds = next()
                doublingSeconds = next()
                deepestCut = next()
                firstBurstSeconds = next()
                trustPerSecond = next()
                eventSeconds = next()
                quietSeconds = next()
                hints = next()
            }
        },
        ValueType("RateHint", listOf(1L, 0L), listOf(1L, 0L)) { RateHint.of(next(), next()) },
        ValueType("NoPermit", listOf(1.seconds, Duration.ZERO, Duration.INFINITE)) {
            NoPermit.waitAtMost(next<Duration>())
        },
        ValueType("ClockSkew", CODES, CODES, listOf(1.seconds, Duration.ZERO)) {
            ClockSkew {
                definiteCodes = next()
                possibleCodes = next()
                threshold = next()
            }
        },
        ValueType("ConfigOverrides", listOf(null) + RetryMode.entries, listOf(null, 1, 2), NAMES, NAMES, FLAGS) {
            ConfigOverrides {
                retryMode = next()
                maxAttempts = next()
                profile = next()
                configFile = next()
                sdkSwitch = next()
            }
        },
        ValueType("JavaV1", JavaV1.JitterChoice.entries, FLAGS, FLAGS, FLAGS, FLAGS) {
            JavaV1 {
                jitter = next()
                fullJitterFromZero = next()
                only500And503 = next()
                standardMode = next()
                throttledRetries = next()
            }
        },
        ValueType("CallOptions", NAMES, Repeat.entries, FLAGS, LIMITS) {
            CallOptions {
                operation = next()
                repeat = next()
                longPolling = next()
                deadline = next()
            }
        },
        ValueType(
            "RetryPolicy",
            listOf(3, 4, Int.MAX_VALUE),
            listOf(Backoff.STANDARD, Backoff.fixed(1.seconds)),
            listOf<Classifier>(TransportErrors, Crc32Check()),
            listOf(
                emptyList(),
                listOf(ServerDelayRule.of(ServerDelayHeader.RETRY_AFTER, ServerDelayBound.add(1.seconds))),
            ),
            listOf(TokenBucketSettings.STANDARD, SteadyQuotaSettings.DEFAULT, RatioQuotaSettings.FINAGLE, null),
            listOf(SendRateSettings.EXACT, SendRateSettings.STEADY, null),
            listOf(NoPermit.Wait, NoPermit.Fail, NoPermit.waitAtMost(1.seconds)),
            LIMITS,
            listOf(
                emptyList(),
                listOf(1.seconds),
                listOf(1.seconds, 2.seconds),
                listOf(2.seconds, 1.seconds),
                listOf(1.seconds, Duration.INFINITE),
            ),
            OnBadResult.entries, FLAGS, FLAGS,
        ) {
            RetryPolicy {
                maxAttempts = next()
                backoff = next()
                classifier = next()
                serverDelays = next()
                quota = next()
                sendRate = next()
                onNoPermit = next()
                deadline = next()
                attemptTimeouts = next()
                onBadResult = next()
                longPollingDelay = next()
                trace = next()
            }
        },
    )

/** Settings that a document leaves out, and reads back as they were. */
internal fun roundTrip(settings: Any): Any? {
    val policy = when (settings) {
        is QuotaSettings -> RetryPolicy { quota = settings }
        is SendRateSettings -> RetryPolicy { sendRate = settings }
        is SteadySettings -> RetryPolicy { sendRate = SendRateSettings.STEADY.with { steady = settings } }
        is NoPermit -> RetryPolicy { onNoPermit = settings }
        is ClockSkew -> RetryPolicy { classifier = settings }
        is RetryPolicy -> settings
        else -> return null
    }
    val read = PolicyJson.read(PolicyJson.write(policy))
    return when (settings) {
        is QuotaSettings -> read.quota
        is SendRateSettings -> read.sendRate
        is SteadySettings -> read.sendRate?.steady
        is NoPermit -> read.onNoPermit
        is ClockSkew -> read.classifier
        else -> read
    }
}

class SettingsEqualityTest :
    FunSpec({
        for (type in SETTINGS) {
            test("${type.name}: equal if all members are, and in no other case; hash and text follow") {
                type.holdsItsWord()
            }

            test("${type.name}: what is written as JSON is read back equal, whichever member differs") {
                for ((clue, value) in type.neighbours() + ("first" to type.first())) {
                    withClue(clue) { roundTrip(value)?.let { it shouldBe value } }
                }
            }
        }

        test("a builder that starts from settings makes them again") {
            for (type in SETTINGS) {
                for ((clue, value) in type.neighbours() + ("first" to type.first())) {
                    withClue(clue) {
                        when (value) {
                            is TokenBucketSettings -> value.toBuilder().build() shouldBe value
                            is SteadyQuotaSettings -> value.toBuilder().build() shouldBe value
                            is RatioQuotaSettings -> value.toBuilder().build() shouldBe value
                            is SendRateSettings -> value.toBuilder().build() shouldBe value
                            is SteadySettings -> value.toBuilder().build() shouldBe value
                            is ClockSkew -> value.toBuilder().build() shouldBe value
                            is ConfigOverrides -> value.toBuilder().build() shouldBe value
                            is CallOptions -> value.toBuilder().build() shouldBe value
                            is RetryPolicy -> value.toBuilder().build() shouldBe value
                            else -> Unit
                        }
                    }
                }
            }
        }
    })
