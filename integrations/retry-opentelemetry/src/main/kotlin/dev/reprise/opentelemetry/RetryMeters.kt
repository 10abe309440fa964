package dev.reprise.opentelemetry

import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryEventListener
import dev.reprise.core.StopReason
import dev.reprise.core.quota.Quota
import io.opentelemetry.api.OpenTelemetry
import io.opentelemetry.api.common.Attributes
import java.lang.ref.WeakReference

/**
 * Counts what the calls of one client do, through OpenTelemetry's metrics API. Hand it to a retrier as a listener, and let it
 * [watch] the retrier's quota:
 *
 * ```
 * val meters = RetryMeters(openTelemetry, "users-api")
 * val retrier = Retrier.builder(policy).listener(meters).build()
 * meters.watch(retrier.quota)
 * ```
 *
 * Instruments and attributes are those of [MeterNames]. Every measurement carries the client's name; the names of operations
 * are left out, since nothing bounds their number. Safe for any number of threads.
 */
public class RetryMeters(openTelemetry: OpenTelemetry, client: String) : RetryEventListener {
    init {
        require(client.isNotBlank()) { "client must not be blank: '$client'" }
    }

    private val meter = Scope.meter(openTelemetry)
    private val ofClient = Attributes.of(MeterNames.CLIENT, client)
    private val instruments = Instruments(meter)

    /**
     * Shows the level of [quota] as long as something else holds it; `null` shows nothing. [more] attributes tell several
     * apart; keep their values few. Close what it returns to end that before.
     */
    @JvmOverloads
    public fun watch(quota: Quota?, more: Attributes = Attributes.empty()): AutoCloseable {
        val watched = WeakReference(quota)
        val attributes = ofClient.toBuilder().putAll(more).build()
        val gauges = listOf<Pair<String, (Quota) -> Int>>(
            MeterNames.QUOTA_AVAILABLE to { it.available },
            MeterNames.QUOTA_CAPACITY to { it.capacity },
        ).map { (name, read) ->
            meter.gaugeBuilder(name).ofLongs().setUnit("{token}").buildWithCallback { measurement ->
                watched.get()?.let { measurement.record(read(it).toLong(), attributes) }
            }
        }
        return AutoCloseable { gauges.forEach { it.close() } }
    }

    override fun onPermitWaited(event: RetryEvent.PermitWaited): Unit =
        instruments.permitWait.record(event.waitNanos / NANOS, ofClient)

    override fun onQuotaRefused(event: RetryEvent.QuotaRefused) {
        if (event.isOperationShare) instruments.shareRefused.add(1, ofClient)
    }

    override fun onRetryScheduled(event: RetryEvent.RetryScheduled) {
        val kind = ofClient.toBuilder().put(Names.FAILURE_KIND, event.kind.name.lowercase()).build()
        instruments.retryDelay.record(event.delayNanos / NANOS, kind)
    }

    override fun onCallSucceeded(event: RetryEvent.CallSucceeded): Unit = ended(StopReason.SUCCESS, event.attempts)

    override fun onCallGaveUp(event: RetryEvent.CallGaveUp): Unit = ended(event.reason, event.attempts)

    override fun onCallCancelled(event: RetryEvent.CallCancelled): Unit = ended(StopReason.CANCELLED, event.attempts)

    private fun ended(reason: StopReason, attempts: Int) {
        val end = ofClient.toBuilder().put(Names.STOP_REASON, reason.word).put(MeterNames.RETRIED, attempts > 1).build()
        instruments.attempts.record(attempts.toLong(), end)
    }

    override fun toString(): String = "RetryMeters($ofClient)"

    private companion object {
        const val NANOS = 1e9
    }
}
