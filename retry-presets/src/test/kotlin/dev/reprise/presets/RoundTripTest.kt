package dev.reprise.presets

import dev.reprise.core.Hedge
import dev.reprise.core.NoPermit
import dev.reprise.core.QuotaSettings
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.core.value.SETTINGS
import dev.reprise.core.value.ValueType
import dev.reprise.presets.clock.ClockSkew
import dev.reprise.presets.config.ConfigOverrides
import dev.reprise.presets.config.RetryMode
import dev.reprise.presets.config.Setting
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds

private val names = listOf(null, "a", "b")
private val flags = listOf(false, true)

private val CODES = listOf(setOf("a"), setOf("b"), emptySet())

private val CLOCK_SKEW = ValueType("ClockSkew", CODES, CODES, listOf(1.seconds, Duration.ZERO)) {
    ClockSkew {
        definiteCodes = next()
        possibleCodes = next()
        threshold(next<kotlin.time.Duration>())
    }
}

private val OWN = listOf(
    ValueType("Setting", listOf<Any>("a", "b", 1), listOf("code", "default")) { Setting(next<Any>(), next()) },
    ValueType("ConfigOverrides", listOf(null) + RetryMode.entries, listOf(null, 1, 2), names, names, flags) {
        ConfigOverrides {
            retryMode = next()
            maxAttempts = next()
            profile = next()
            configFile = next()
            sdkSwitch = next()
        }
    },
    CLOCK_SKEW,
)

/** Settings that a document leaves out, and reads back as they were. */
internal fun roundTrip(settings: Any): Any? {
    val policy = when (settings) {
        is QuotaSettings -> RetryPolicy { quota = settings }
        is SendRateSettings -> RetryPolicy { sendRate = settings }
        is NoPermit -> RetryPolicy { onNoPermit = settings }
        is Hedge -> RetryPolicy { hedge = settings }
        is ClockSkew -> RetryPolicy { classifier = settings }
        is RetryPolicy -> settings
        else -> return null
    }
    val read = PolicyJson.read(PolicyJson.write(policy))
    return when (settings) {
        is QuotaSettings -> read.quota
        is SendRateSettings -> read.sendRate
        is NoPermit -> read.onNoPermit
        is Hedge -> read.hedge
        is ClockSkew -> read.classifier
        else -> read
    }
}

class RoundTripTest :
    FunSpec({
        for (type in SETTINGS + CLOCK_SKEW) {
            test("${type.name}: what is written as JSON is read back equal, whichever member differs") {
                for ((clue, value) in type.neighbours() + ("first" to type.first())) {
                    withClue(clue) { roundTrip(value)?.let { it shouldBe value } }
                }
            }
        }

        for (type in OWN) {
            test("${type.name}: equal if all members are, and in no other case; hash and text follow") {
                type.holdsItsWord()
            }
        }

        test("a builder that starts from overrides makes them again") {
            for ((clue, value) in OWN.flatMap { it.neighbours() + ("first" to it.first()) }) {
                withClue(clue) { if (value is ConfigOverrides) value.toBuilder().build() shouldBe value }
            }
        }
    })
