package dev.reprise.presets.clock

import dev.reprise.core.HttpOutcome
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.shell.values.httpOf
import dev.reprise.core.shell.values.sentAtEpochMillis
import java.time.Clock
import java.time.Instant
import java.time.ZoneId
import java.util.concurrent.ConcurrentHashMap
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import java.time.Duration as JavaDuration

/**
 * An estimate of the server's time: a local clock, corrected by the `Date` of each response. Sign requests with it. It listens to
 * the calls of one client, and so learns before the next attempt begins:
 *
 * ```kotlin
 * val clock = ServerClock(Clock.systemUTC())
 * val retrier = Retrier(RetryPolicy { classifyFirst(ClockSkew.STANDARD) }) { listener(clock) }
 * val answer = retrier { api.send(sign(request, clock.instant())) }
 * ```
 *
 * By the AWS SDKs' specification of July 2026, `Date` stands for the middle between sending and receipt, and the newest response
 * counts, good or bad. A response from a cache (it has the header `Age`), and one that took more than 15 minutes, teach nothing.
 * The response must be the attempt's result, or in its exception ([HttpFailure][dev.reprise.core.HttpFailure]).
 *
 * Safe for any number of threads.
 */
public class ServerClock private constructor(
    private val base: Clock,
    private val zone: ZoneId,
    private val learned: Learned,
) : Clock(),
    RetryListener {
    /** A clock that corrects [base]. */
    public constructor(base: Clock) : this(base, base.zone, Learned())

    /** The server's time minus the local clock's; zero until a response has told it. */
    @get:JvmSynthetic
    public val offset: Duration get() = learned.millis.milliseconds

    /** The server's time minus the local clock's; zero until a response has told it. For Java. */
    public fun getOffset(): JavaDuration = JavaDuration.ofMillis(learned.millis)

    override fun onEvent(event: RetryEvent) {
        when (event) {
            is RetryEvent.AttemptStarted -> learned.sentAt[event.callId] = event.atNanos
            is RetryEvent.AttemptFailed -> learn(event, event.failure?.let(::httpOf) ?: event.result)
            is RetryEvent.CallSucceeded -> learn(event, event.result)
            is RetryEvent.CallGaveUp, is RetryEvent.CallCancelled -> learned.sentAt.remove(event.callId)
            else -> {}
        }
    }

    private fun learn(event: RetryEvent, response: Any?) {
        val took = learned.sentAt.remove(event.callId)?.let { (event.atNanos - it) / NANOS_PER_MILLI } ?: 0
        val sent = (response as? HttpOutcome)?.sentAtEpochMillis() ?: return
        if (took > LONGEST_TRIP) return
        val received = response.receivedAtEpochMillis.let { if (it == HttpOutcome.UNKNOWN_TIME) base.millis() else it }
        // A double holds each ms of a century; a larger offset is clamped.
        learned.millis = (sent.toDouble() - received + took / 2).toLong().coerceIn(-MOST_MILLIS, MOST_MILLIS)
    }

    override fun instant(): Instant = base.instant().plusMillis(learned.millis)

    override fun getZone(): ZoneId = zone

    /** This clock in [zone]; it keeps learning. */
    override fun withZone(zone: ZoneId): ServerClock = ServerClock(base, zone, learned)

    override fun toString(): String = "server clock($base, offset $offset)"

    private class Learned {
        @Volatile
        var millis = 0L

        /** When the attempt of each call under way began, in ns of the retrier's clock. */
        val sentAt = ConcurrentHashMap<Long, Long>()
    }
}

private const val NANOS_PER_MILLI = 1_000_000

/** A `Date` of longer ago, in ms, says too little. */
private const val LONGEST_TRIP = 15 * 60_000

/** A century: no clock is further off, and an instant plus this is one. */
private const val MOST_MILLIS = 100 * 366 * 86_400_000L
