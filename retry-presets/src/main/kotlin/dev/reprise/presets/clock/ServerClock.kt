package dev.reprise.presets.clock

import dev.reprise.core.HttpOutcome
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.Verdict
import dev.reprise.core.httpOf
import dev.reprise.core.sentAtEpochMillis
import java.time.Clock
import java.time.Instant
import java.time.ZoneId
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import java.time.Duration as JavaDuration

/**
 * An estimate of the server's time: a local clock, corrected from failures that a wrong clock caused. Sign requests
 * with it. It listens to the calls of one client, and so learns before the next attempt begins:
 *
 * ```kotlin
 * val clock = ServerClock(ClockSkew.STANDARD, Clock.systemUTC())
 * val retrier = Retrier(RetryPolicy { classifyFirst(ClockSkew.STANDARD) }) { listener(clock) }
 * val answer = retrier { api.send(sign(request, clock.instant())) }
 * ```
 *
 * Safe for any number of threads.
 */
public class ServerClock private constructor(
    private val skew: ClockSkew,
    private val base: Clock,
    private val zone: ZoneId,
    private val learned: Learned,
) : Clock(),
    RetryListener {
    /** A clock that corrects [base] from the failures that [skew] makes retryable. */
    public constructor(skew: ClockSkew, base: Clock) : this(skew, base, base.zone, Learned())

    /** The server's time minus the local clock's; zero until a skew was found. */
    @get:JvmSynthetic
    public val offset: Duration get() = learned.millis.milliseconds

    /** The server's time minus the local clock's; zero until a skew was found. For Java. */
    public fun getOffset(): JavaDuration = JavaDuration.ofMillis(learned.millis)

    override fun onEvent(event: RetryEvent) {
        if (event !is RetryEvent.AttemptFailed || event.verdict !is Verdict.Retry) return
        val response = event.failure?.let(::httpOf) ?: event.result as? HttpOutcome ?: return
        val received = response.receivedAtEpochMillis
        val ours = if (received == HttpOutcome.UNKNOWN_TIME) base.millis() else received
        val sent = response.sentAtEpochMillis() ?: return
        if (!skew.means(response, ours)) return
        // A double holds each ms of a century; a larger offset is clamped.
        learned.millis = (sent.toDouble() - ours).toLong().coerceIn(-MOST_MILLIS, MOST_MILLIS)
    }

    override fun instant(): Instant = base.instant().plusMillis(learned.millis)

    override fun getZone(): ZoneId = zone

    /** This clock in [zone]; it keeps learning. */
    override fun withZone(zone: ZoneId): ServerClock = ServerClock(skew, base, zone, learned)

    override fun toString(): String = "server clock($base, offset $offset)"

    private class Learned {
        @Volatile
        var millis = 0L
    }

    private companion object {
        /** A century: no clock is further off, and an instant plus this is one. */
        const val MOST_MILLIS = 100 * 366 * 86_400_000L
    }
}
