package dev.reprise.opentelemetry

import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.StopReason
import dev.reprise.core.shell.quota.Quota
import dev.reprise.core.shell.text.FirstNames
import dev.reprise.core.shell.values.delayNanos
import dev.reprise.core.shell.values.waitNanos
import dev.reprise.core.shell.values.word
import io.opentelemetry.api.OpenTelemetry
import io.opentelemetry.api.common.Attributes
import io.opentelemetry.api.metrics.DoubleHistogram
import java.lang.ref.ReferenceQueue
import java.lang.ref.WeakReference

/**
 * Counts the calls of a client and their events, through OpenTelemetry's metrics API. Add it to a retrier as a
 * listener, and let it [watch] the retrier's quota:
 *
 * ```
 * val meters = RetryMeters(openTelemetry, "users-api")
 * val retrier = Retrier.builder(policy).listener(meters).build()
 * meters.watch(retrier.quota)
 * ```
 *
 * `docs/observability.md` lists the instruments and attributes. Every measurement carries the client's name, by default the
 * retrier's: the first 100 names of retriers have series of their own, later ones share `other`, retriers without a name are
 * `unnamed`. Names of operations are left out, since their number has no bound. Safe for any number of threads.
 */
public class RetryMeters private constructor(openTelemetry: OpenTelemetry, private val only: Attributes?) :
    RetryListener {
    /** The meters of the client called [client]. */
    public constructor(openTelemetry: OpenTelemetry, client: String) : this(openTelemetry, clientAttributes(client))

    /** The meters of all retriers that these listen to: `reprise.client` is the retrier's name, for the first 100 names. */
    public constructor(openTelemetry: OpenTelemetry) : this(openTelemetry, null)

    private val meter = Scope.meter(openTelemetry)
    private val attempts = meter.histogramBuilder("reprise.call.attempts").ofLongs()
        .setDescription("Attempts of each call that ended").setUnit("{attempt}")
        .setExplicitBucketBoundariesAdvice(listOf(1, 2, 3, 4, 5, 10)).build()
    private val shareRefused = meter.counterBuilder("reprise.quota.share.refused")
        .setDescription("Retries that an operation's own share of the quota refused").setUnit("{retry}").build()
    private val retryDelay = histogram("reprise.retry.delay", "Waits before retries")
    private val permitWait = histogram("reprise.permit.wait", "Waits for a send permit")

    /** As many as Micrometer's metrics tell apart by default. */
    private val clients = FirstNames(100, ::clientAttributes)
    private val gone = ReferenceQueue<Quota>()

    /**
     * Shows the level of [quota] as long as something else holds it; `null` shows nothing. [more] attributes tell several
     * apart; keep their values few. Meters of no single client take the retrier's name from there. Close what it returns to end that before.
     */
    @JvmOverloads
    public fun watch(quota: Quota?, more: Attributes = Attributes.empty()): AutoCloseable {
        forgetGone()
        val watched = Watched(quota ?: return AutoCloseable { }, gone)
        val attributes = (only ?: clients[null]).toBuilder().putAll(more).build()
        watched.gauges = listOf<Pair<String, (Quota) -> Int>>(
            "reprise.quota.available" to { it.available },
            "reprise.quota.capacity" to { it.capacity },
        ).map { (name, read) ->
            meter.gaugeBuilder(name).ofLongs().setUnit("{token}").buildWithCallback { measurement ->
                watched.get()?.let { measurement.record(read(it).toLong(), attributes) }
            }
        }
        return AutoCloseable { watched.close() }
    }

    private fun forgetGone() {
        while (true) (gone.poll() as Watched? ?: return).close()
    }

    override fun onEvent(event: RetryEvent): Unit = when (event) {
        is RetryEvent.PermitWaited -> permitWait.record(seconds(event.waitNanos), clientOf(event))

        is RetryEvent.QuotaRefused -> if (event.isOperationShare) shareRefused.add(1, clientOf(event)) else Unit

        is RetryEvent.RetryScheduled -> {
            val kind = clientOf(event).toBuilder().put(Keys.FAILURE_KIND, event.kind.name.lowercase()).build()
            retryDelay.record(seconds(event.delayNanos), kind)
        }

        is RetryEvent.CallSucceeded -> ended(event, StopReason.SUCCESS, event.attempts)

        is RetryEvent.CallGaveUp -> ended(event, event.reason, event.attempts)

        is RetryEvent.CallCancelled -> ended(event, StopReason.CANCELLED, event.attempts)

        else -> Unit
    }

    private fun clientOf(event: RetryEvent): Attributes {
        forgetGone()
        return only ?: clients[event.retrier]
    }

    private fun ended(event: RetryEvent, reason: StopReason, count: Int) {
        val end = clientOf(event).toBuilder()
            .put(Keys.STOP_REASON, reason.word).put(Keys.RETRIED, count > 1).build()
        attempts.record(count.toLong(), end)
    }

    override fun toString(): String = "RetryMeters(${only ?: "by retrier"})"

    /** A quota that is shown as long as something else holds it; its gauges hold this. */
    private class Watched(quota: Quota, gone: ReferenceQueue<Quota>) : WeakReference<Quota>(quota, gone) {
        var gauges: List<AutoCloseable> = emptyList()

        fun close() = gauges.forEach { it.close() }
    }

    private fun histogram(name: String, description: String): DoubleHistogram = meter.histogramBuilder(name)
        .setDescription(description).setUnit("s").setExplicitBucketBoundariesAdvice(DELAYS).build()
}

/** From the base of standard mode, 50 ms, to its cap, 20 s, doubling or nearly so. The buckets are advice. */
private val DELAYS = listOf(0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0)

private fun clientAttributes(client: String): Attributes {
    require(client.isNotBlank()) { "client must not be blank: '$client'" }
    return Attributes.of(Keys.CLIENT, client)
}
