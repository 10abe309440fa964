package dev.reprise.micrometer

import dev.reprise.core.shell.quota.Quota
import dev.reprise.core.shell.rate.SendRate
import io.micrometer.core.instrument.Gauge
import io.micrometer.core.instrument.MeterRegistry
import io.micrometer.core.instrument.Tags
import java.lang.ref.ReferenceQueue
import java.lang.ref.WeakReference
import java.util.concurrent.CopyOnWriteArrayList

/**
 * The gauges of one quota or send rate: read when the registry is, and free before that. Holds what they show weakly, and is
 * in the queue that it was made with once that is gone.
 */
internal abstract class Gauges<T : Any>(private val tags: Tags, watched: T, gone: ReferenceQueue<Any>) :
    WeakReference<Any>(watched, gone) {
    private val groups = CopyOnWriteArrayList<MeterGroup>()

    /** The unique key of a gauge. */
    val key: Pair<Class<*>, Tags> get() = javaClass to tags

    fun bindTo(registry: MeterRegistry) {
        @Suppress("UNCHECKED_CAST")
        val watched = get() as T? ?: return
        groups += MeterGroup(registry).also { show(it, watched, tags) }
    }

    fun close() = groups.forEach { it.close() }

    protected abstract fun show(group: MeterGroup, watched: T, tags: Tags)
}

internal class QuotaGauges(tags: Tags, quota: Quota, gone: ReferenceQueue<Any>) : Gauges<Quota>(tags, quota, gone) {
    override fun show(group: MeterGroup, watched: Quota, tags: Tags) {
        Gauge.builder(Meters.QUOTA_AVAILABLE, watched) { it.available.toDouble() }
            .description("Tokens in the retry quota").baseUnit(TOKENS).tags(tags).registerIn(group)
        Gauge.builder(Meters.QUOTA_CAPACITY, watched) { it.capacity.toDouble() }
            .description("Tokens of a full retry quota").baseUnit(TOKENS).tags(tags).registerIn(group)
    }
}

internal class RateGauges(tags: Tags, rate: SendRate, gone: ReferenceQueue<Any>) : Gauges<SendRate>(tags, rate, gone) {
    override fun show(group: MeterGroup, watched: SendRate, tags: Tags) {
        Gauge.builder(Meters.SEND_RATE, watched) { it.sendRate ?: Double.NaN }
            .description("Permitted attempts a second, not a number while they are not limited").tags(tags)
            .registerIn(group)
        Gauge.builder(Meters.MEASURED_RATE, watched) { it.measuredRate }
            .description("Measured answers a second").tags(tags).registerIn(group)
    }
}

private fun Gauge.Builder<*>.registerIn(group: MeterGroup) = group.add(register(group.registry))

private const val TOKENS = "tokens"
