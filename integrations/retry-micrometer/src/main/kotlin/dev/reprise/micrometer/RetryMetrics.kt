package dev.reprise.micrometer

import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.shell.quota.Quota
import dev.reprise.core.shell.rate.SendRate
import io.micrometer.core.instrument.MeterRegistry
import io.micrometer.core.instrument.Tag
import io.micrometer.core.instrument.Tags
import io.micrometer.core.instrument.binder.MeterBinder
import java.lang.ref.ReferenceQueue
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.CopyOnWriteArrayList

/**
 * Counts the calls of a client and their events, in the meters that `docs/observability.md` lists. Add it to a retrier as a
 * listener, bind it to a registry, and let it [watch] the retrier's quota and send rate:
 *
 * ```
 * val metrics = RetryMetrics(registry, "users-api")
 * val retrier = Retrier(policy) { listener(metrics) }
 * metrics.watch(retrier.quota, retrier.sendRate)
 * ```
 *
 * Without a client's name, `RetryMetrics(registry)`, one object serves any number of retriers: the tag `client` is the
 * name of the call's retrier.
 *
 * The number of time series is bounded: 28 a client, up to six more if it sends copies of slow attempts, and 2 for each
 * watched quota and send rate. Every meter has the tag `client` and the [builder]'s tags, all but the gauges `operation`.
 * Operations have 28 series each of their own only if [maxOperations][RetryMetricsBuilder.maxOperations] allows it.
 * Histograms have buckets only if [asked for][RetryMetricsBuilder.histograms].
 *
 * A poll is one call, and each further look a retry.
 *
 * All meters of a client exist from its binding on, at zero; those of a retrier or an operation by its name from its first event.
 * Earlier events are not counted. [close] removes them. Safe for any number of threads.
 */
public class RetryMetrics internal constructor(private val settings: MetricsSettings) :
    RetryListener,
    MeterBinder,
    AutoCloseable {
    private val tags = settings.tags.and("client", settings.client ?: "unnamed")
    private val bound = CopyOnWriteArrayList<Pair<MeterRegistry, RegistryMeters>>()
    private val watched = ConcurrentHashMap<Any, Gauges<*>>()
    private val gone = ReferenceQueue<Any>()
    private var isClosed = false

    /** Shows everything in [registry] too. */
    @Synchronized
    override fun bindTo(registry: MeterRegistry) {
        check(!isClosed) { "the metrics are closed" }
        if (bound.any { it.first === registry }) return
        bound += registry to RegistryMeters(registry, settings)
        watched.values.forEach { it.bindTo(registry) }
    }

    /**
     * Shows the level of [quota] and the rates of [sendRate] as gauges, as long as other references hold these objects;
     * `null` shows nothing. [more] tags distinguish several, such as one for each host; keep their values few. For
     * metrics without a client's name, pass the retrier's: `Tags.of("client", name)`. Watching with the same tags
     * replaces the former object.
     */
    @JvmOverloads
    public fun watch(quota: Quota?, sendRate: SendRate? = null, more: Iterable<Tag> = Tags.empty()): Watch {
        forgetGone()
        val all = tags.and(more)
        val gauges = listOfNotNull(
            quota?.let { Gauges(Gauges.OF_QUOTA, all, it, gone) },
            sendRate?.let { Gauges(Gauges.OF_RATE, all, it, gone) },
        )
        gauges.forEach(::show)
        return object : Watch {
            override fun close() = gauges.forEach(::hide)
        }
    }

    @Synchronized
    private fun show(gauges: Gauges<*>) {
        if (isClosed) return
        watched.put(gauges.key, gauges)?.close()
        bound.forEach { (registry, _) -> gauges.bindTo(registry) }
    }

    @Synchronized
    private fun hide(gauges: Gauges<*>) {
        // Otherwise it was replaced, and its meters are another's.
        if (watched.remove(gauges.key, gauges)) gauges.close()
    }

    private fun forgetGone() {
        while (true) hide(gone.poll() as Gauges<*>? ?: return)
    }

    /** Removes all meters of this client from the registries. Later calls are not counted. */
    @Synchronized
    override fun close() {
        isClosed = true
        bound.forEach { (_, meters) -> meters.close() }
        bound.clear()
        watched.values.forEach { it.close() }
        watched.clear()
    }

    override fun onEvent(event: RetryEvent) {
        forgetGone()
        for ((_, meters) in bound) meters.of(event.retrier, event.operation).record(event)
    }

    override fun toString(): String = "RetryMetrics($tags)"

    public companion object {
        /** A builder of the metrics of the client called [client], the value of the tag `client`; one for each. */
        @JvmStatic
        public fun builder(client: String): RetryMetricsBuilder = RetryMetricsBuilder(client)

        /** A builder of the metrics of all retriers that it listens to; the tag `client` is the retrier's name. */
        @JvmStatic
        public fun builder(): RetryMetricsBuilder = RetryMetricsBuilder(null)

        /** The metrics of all retriers that it listens to, in [registry]; the tag `client` is the retrier's name. */
        @JvmStatic
        public fun of(registry: MeterRegistry): RetryMetrics = builder().bindTo(registry)

        /** The metrics of all retriers that it listens to, in [registry]; the tag `client` is the retrier's name. */
        @JvmSynthetic
        public operator fun invoke(registry: MeterRegistry): RetryMetrics = of(registry)

        /** The metrics of the client called [client], in [registry]. */
        @JvmStatic
        public fun of(registry: MeterRegistry, client: String): RetryMetrics = builder(client).bindTo(registry)

        /** The metrics of the client called [client] with [settings], in [registry]. */
        @JvmSynthetic
        public operator fun invoke(
            registry: MeterRegistry,
            client: String,
            settings: RetryMetricsBuilder.() -> Unit = {},
        ): RetryMetrics = builder(client).apply(settings).bindTo(registry)

        /** The metrics of the client called [client], in no registry yet: a bean that Spring Boot binds. */
        @JvmSynthetic
        public operator fun invoke(client: String): RetryMetrics = builder(client).build()
    }
}
