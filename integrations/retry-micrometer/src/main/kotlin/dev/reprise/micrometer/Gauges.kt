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
internal class Gauges<T : Any>(
    private val shown: List<Shown<T>>,
    private val tags: Tags,
    watched: T,
    gone: ReferenceQueue<Any>,
) : WeakReference<Any>(watched, gone) {
    private val groups = CopyOnWriteArrayList<MeterGroup>()

    /** The unique key of a gauge. */
    val key: Pair<Any, Tags> get() = shown to tags

    fun bindTo(registry: MeterRegistry) {
        @Suppress("UNCHECKED_CAST")
        val watched = get() as T? ?: return
        val group = MeterGroup(registry).also { groups += it }
        for (gauge in shown) {
            val builder = Gauge.builder(gauge.name, watched) { gauge.value(it) }.description(gauge.description)
            group.add(builder.baseUnit(gauge.unit).tags(tags).register(registry))
        }
    }

    fun close() = groups.forEach { it.close() }

    /** What one gauge shows. */
    class Shown<T>(val name: String, val description: String, val unit: String?, val value: (T) -> Double)

    companion object {
        val OF_QUOTA = listOf<Shown<Quota>>(
            Shown("reprise.quota.available", "Tokens in the retry quota", "tokens") { it.available.toDouble() },
            Shown("reprise.quota.capacity", "Tokens of a full retry quota", "tokens") { it.capacity.toDouble() },
        )
        val OF_RATE = listOf<Shown<SendRate>>(
            Shown("reprise.send.rate", "Permitted attempts a second, not a number while they are not limited", null) {
                it.sendRate ?: Double.NaN
            },
            Shown("reprise.measured.rate", "Measured answers a second", null) { it.measuredRate },
        )
    }
}
