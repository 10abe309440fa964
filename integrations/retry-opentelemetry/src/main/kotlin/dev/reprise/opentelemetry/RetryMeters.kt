package dev.reprise.opentelemetry

import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryEventListener
import dev.reprise.core.StopReason
import dev.reprise.core.shell.quota.Quota
import dev.reprise.core.shell.values.delayNanos
import dev.reprise.core.shell.values.waitNanos
import dev.reprise.core.shell.values.word
import io.opentelemetry.api.OpenTelemetry
import io.opentelemetry.api.common.Attributes
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
 * [MeterNames] has the instruments and attributes. Every measurement carries the client's name, by default the
 * retrier's: the first 100 names of retriers have series of their own, later ones share `other`, retriers without a name are
 * `unnamed`. Names of operations are left out, since their number has no bound. Safe for any number of threads.
 */
public class RetryMeters private constructor(openTelemetry: OpenTelemetry, private val only: Attributes?) :
    RetryEventListener {
    /** The meters of the client called [client]. */
    public constructor(openTelemetry: OpenTelemetry, client: String) : this(openTelemetry, attributesOf(client))

    /** The meters of all retriers that these listen to: `reprise.client` is the retrier's name, for the first 100 names. */
    public constructor(openTelemetry: OpenTelemetry) : this(openTelemetry, null)

    private val meter = Scope.meter(openTelemetry)
    private val instruments = Instruments(meter)
    private val clients = Clients()
    private val gone = ReferenceQueue<Quota>()

    /**
     * Shows the level of [quota] as long as something else holds it; `null` shows nothing. [more] attributes tell several
     * apart; keep their values few. Meters of no single client take the retrier's name from there. Close what it returns to end that before.
     */
    @JvmOverloads
    public fun watch(quota: Quota?, more: Attributes = Attributes.empty()): AutoCloseable {
        forgetGone()
        val watched = Watched(quota ?: return AutoCloseable { }, gone)
        val attributes = (only ?: Clients.UNNAMED).toBuilder().putAll(more).build()
        watched.gauges = listOf<Pair<String, (Quota) -> Int>>(
            MeterNames.QUOTA_AVAILABLE to { it.available },
            MeterNames.QUOTA_CAPACITY to { it.capacity },
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

    override fun onPermitWaited(event: RetryEvent.PermitWaited): Unit =
        instruments.permitWait.record(seconds(event.waitNanos), clientOf(event))

    override fun onQuotaRefused(event: RetryEvent.QuotaRefused) {
        if (event.isOperationShare) instruments.shareRefused.add(1, clientOf(event))
    }

    override fun onRetryScheduled(event: RetryEvent.RetryScheduled) {
        val kind = clientOf(event).toBuilder().put(SpanNames.FAILURE_KIND, event.kind.name.lowercase()).build()
        instruments.retryDelay.record(seconds(event.delayNanos), kind)
    }

    override fun onCallSucceeded(event: RetryEvent.CallSucceeded): Unit =
        ended(event, StopReason.SUCCESS, event.attempts)

    override fun onCallGaveUp(event: RetryEvent.CallGaveUp): Unit = ended(event, event.reason, event.attempts)

    override fun onCallCancelled(event: RetryEvent.CallCancelled): Unit =
        ended(event, StopReason.CANCELLED, event.attempts)

    private fun clientOf(event: RetryEvent): Attributes {
        forgetGone()
        return only ?: clients.of(event.retrier)
    }

    private fun ended(event: RetryEvent, reason: StopReason, attempts: Int) {
        val end = clientOf(event).toBuilder()
            .put(SpanNames.STOP_REASON, reason.word).put(MeterNames.RETRIED, attempts > 1).build()
        instruments.attempts.record(attempts.toLong(), end)
    }

    override fun toString(): String = "RetryMeters(${only ?: "by retrier"})"

    /** A quota that is shown as long as something else holds it; its gauges hold this. */
    private class Watched(quota: Quota, gone: ReferenceQueue<Quota>) : WeakReference<Quota>(quota, gone) {
        var gauges: List<AutoCloseable> = emptyList()

        fun close() = gauges.forEach { it.close() }
    }

    private companion object {
        fun attributesOf(client: String): Attributes {
            require(client.isNotBlank()) { "client must not be blank: '$client'" }
            return Clients.attributesOf(client)
        }
    }
}
