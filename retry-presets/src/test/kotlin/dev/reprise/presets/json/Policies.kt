package dev.reprise.presets.json

import dev.reprise.core.Backoff
import dev.reprise.core.Classifier
import dev.reprise.core.ErrorRule
import dev.reprise.core.ErrorTable
import dev.reprise.core.ExceptionRule
import dev.reprise.core.ExceptionTable
import dev.reprise.core.FailureKind
import dev.reprise.core.Hedge
import dev.reprise.core.Jitter
import dev.reprise.core.NoPermit
import dev.reprise.core.OnBadResult
import dev.reprise.core.QuotaCharge
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SelfClassifier
import dev.reprise.core.SendRateSettings
import dev.reprise.core.ServerDelayBound
import dev.reprise.core.ServerDelayHeader
import dev.reprise.core.ServerDelayRule
import dev.reprise.core.ServerHints
import dev.reprise.core.Statuses
import dev.reprise.core.TokenBucketSettings
import dev.reprise.core.TransportErrors
import dev.reprise.core.WhenRetriedBelow
import dev.reprise.core.shell.http.Crc32Check
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.core.shell.values.ErrorTable
import dev.reprise.core.shell.values.GoBackoff
import dev.reprise.core.shell.values.ServerDelayRule
import dev.reprise.core.shell.values.statusesOf
import dev.reprise.presets.DecorrelatedBackoff
import dev.reprise.presets.ExponentialBackoff
import dev.reprise.presets.FixedBackoff
import dev.reprise.presets.LinearBackoff
import io.kotest.property.Arb
import io.kotest.property.RandomSource
import io.kotest.property.arbitrary.arbitrary
import java.time.Duration
import kotlin.math.pow
import kotlin.time.Duration.Companion.nanoseconds

/** Any policy that can be written. */
val anyPolicy: Arb<RetryPolicy> = arbitrary { rs -> Policies(rs).policy() }

private class Policies(rs: RandomSource) {
    private val random = rs.random

    private fun nanos(): Long = when (random.nextInt(4)) {
        0 -> random.nextLong(1, 1_000)
        1 -> random.nextLong(1, 10_000) * 1_000_000
        2 -> random.nextLong(1, Long.MAX_VALUE)
        else -> UNLIMITED_NANOS
    }

    private fun duration() = Duration.ofNanos(nanos())

    private fun ascending() = listOf(nanos(), nanos()).sorted()

    private fun <T> oneOf(vararg values: T): T = values[random.nextInt(values.size)]

    private fun jitter() = Jitter.entries[random.nextInt(Jitter.entries.size)]

    private fun flag() = random.nextBoolean()

    private fun backoff(depth: Int = 0): Backoff = when (random.nextInt(if (depth > 1) 5 else 6)) {
        0 -> FixedBackoff(nanos(), jitter())

        1 -> ascending().let { (base, cap) -> LinearBackoff(base, nanos(), cap, jitter()) }

        2 -> ascending().let { (base, cap) ->
            ExponentialBackoff(base, nanos(), number(0.0, Double.MAX_VALUE), cap, jitter(), random.nextInt(2))
        }

        3 -> ascending().let { (base, cap) -> DecorrelatedBackoff(base, cap) }

        4 -> nanos().let { GoBackoff(it, maxOf(it, nanos())) }

        else -> Backoff.perKind(backoff(depth + 1), backoff(depth + 1))
    }

    private fun statuses(): Statuses = statusesOf(
        List(random.nextInt(1, 4)) { random.nextInt(100, 900).let { it..it + random.nextInt(2) * 7 } },
    )

    private fun errorRule() = when (random.nextInt(3)) {
        0 -> ErrorRule(oneOf(FailureKind.TRANSIENT, FailureKind.TIMEOUT, null), statuses = statuses())
        1 -> ErrorRule(FailureKind.THROTTLING, setOf("SlowDown", "überlastet \"jetzt\"\n"))
        else -> ErrorRule(FailureKind.THROTTLING, setOf("Throttling"), statuses(), if (flag()) "slow" else null)
    }

    private fun classifier(): Classifier {
        val table = ErrorTable(List(random.nextInt(3)) { errorRule() }, dropsStatus = flag())
        val exceptions = ExceptionTable(
            listOf(
                ExceptionRule(FailureKind.TIMEOUT, setOf("java.net.SocketTimeoutException"), unsent = flag()),
                ExceptionRule(null, setOf("a.B", "c.D"), message = if (flag()) "\"what\"" else null),
            ),
            random.nextInt(1, 20),
        )
        val all = listOf(SelfClassifier, Crc32Check(oneOf("x-amz-crc32", "x")), table, exceptions, TransportErrors)
        val parts = all.filter { flag() }
        return Classifier.firstOf(*parts.toTypedArray())
    }

    private fun serverDelay() = ServerDelayRule(
        ServerDelayHeader.entries[random.nextInt(ServerDelayHeader.entries.size)],
        oneOf(
            ServerDelayBound.clamp(duration()),
            if (flag()) ServerDelayBound.atLeast(duration()) else ServerDelayBound.atMost(duration()),
            ServerDelayBound.add(duration()),
        ),
        if (flag()) Statuses.NONE else statuses(),
    )

    private fun quota() = TokenBucketSettings.builder().capacity(random.nextInt(1, Int.MAX_VALUE)).cost(
        random.nextInt(100),
    ).throttlingCost(random.nextInt(100)).timeoutCost(
        random.nextInt(100),
    ).firstTryRefund(random.nextInt(3)).charge(oneOf(QuotaCharge.RETRIES, QuotaCharge.FAILURES)).build()

    /** Any number in the range, its ends and the numbers next to them, and a zero with a sign where zero may be. */
    private fun number(from: Double, to: Double, isOpen: Boolean = true): Double = when (random.nextInt(6)) {
        0 -> if (isOpen) Math.nextUp(from) else from
        1 -> if (isOpen) Math.nextDown(to) else to
        2 -> if (isOpen || from > 0) (from + to) / 2 else -0.0
        3 -> if (to > 1e300) 10.0.pow(random.nextInt(1, 300)) else random.nextDouble(Math.nextUp(from), to)
        else -> random.nextDouble(Math.nextUp(from), minOf(to, from + 9))
    }

    private fun sendRate() = oneOf(SendRateSettings.EXACT, SendRateSettings.STEADY).toBuilder().beta(
        number(0.0, 1.0),
    ).scale(number(0.0, Double.MAX_VALUE)).minFillRate(number(0.0, Double.MAX_VALUE)).minCapacity(
        number(1.0, Double.MAX_VALUE, isOpen = false),
    ).quietSeconds(oneOf(180.0, number(0.0, 86_400.0))).hints(ServerHints.entries.random(random)).build()

    /** A hedge that can act within [limitNanos]. */
    private fun hedge(limitNanos: Long): Hedge {
        val load = number(0.0, 1.0)
        val after = minOf(nanos(), limitNanos - 1)
        return if (flag() || after < 1) Hedge(load) else Hedge.after(after.nanoseconds, load)
    }

    fun policy(): RetryPolicy = RetryPolicy {
        maxAttempts = oneOf(1, random.nextInt(1, Int.MAX_VALUE), Int.MAX_VALUE)
        backoff = backoff()
        classifier = classifier()
        serverDelays = List(random.nextInt(3)) { serverDelay() }
        quota = if (flag()) quota() else null
        sendRate = if (flag()) sendRate() else null
        onNoPermit = oneOf(NoPermit.Wait, NoPermit.Fail, NoPermit.waitAtMost(duration()))
        // A policy without a wait and without end is refused.
        deadline = if (flag() || maxAttempts == Int.MAX_VALUE) minOf(nanos(), UNLIMITED_NANOS - 1).nanoseconds else null
        attemptTimeout = if (flag()) nanos().nanoseconds else null
        val limit = listOfNotNull(deadline, attemptTimeout).minOrNull()?.inWholeNanoseconds ?: UNLIMITED_NANOS
        hedge = if (flag()) hedge(limit) else null
        onBadResult = oneOf(OnBadResult.RETURN, OnBadResult.THROW)
        whenRetriedBelow = WhenRetriedBelow.entries.random(random)
        honourShouldRetry = flag()
        longPollingDelay = flag()
        trace = flag()
    }
}
