package dev.reprise.core.quota

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

/**
 * One value for each key, such as a retrier for each destination: made on first use, at most [capacity] of them, and when
 * there is one too many the least recently used goes.
 *
 * ```kotlin
 * val retriers = Keyed<String, Retrier>(capacity = 100) { Retrier(Presets.named("adaptive-steady")) }
 * val user = retriers[host] { api.fetch(id) }
 * ```
 *
 * Safe for any number of threads. Looking up a key that is there takes no lock; using the same key again and again writes
 * nothing. A value that was dropped stays usable for callers that still hold it; a third argument is told of it, such as to
 * remove its meters.
 */
public class Keyed<K : Any, V : Any>(
    /** The most keys that are kept; at least 1. */
    public val capacity: Int,
    private val create: Factory<K, V>,
    private val onDropped: Dropped<K, V>,
) {
    /**
     * At most [capacity] values that [create] makes.
     *
     * @throws IllegalArgumentException if [capacity] is below 1
     */
    public constructor(capacity: Int, create: Factory<K, V>) : this(capacity, create, { _, _ -> })

    /** Is told what is no longer kept. */
    public fun interface Dropped<K, V> {
        /**
         * The [value] of [key] is no longer kept. On the thread that brought a key too many, once for each value; what this
         * throws comes out of the look-up.
         */
        public fun dropped(key: K, value: V)
    }

    /** Makes the value of a key. May be called more than once for the same key when threads race; one value wins. */
    public fun interface Factory<K, V> {
        /** A new value for [key]. */
        public fun create(key: K): V
    }

    private class Entry<V>(val value: V, @Volatile var usedAt: Long)

    private val entries = ConcurrentHashMap<K, Entry<V>>()
    private val ticks = AtomicLong()

    @Volatile
    private var newest: Entry<V>? = null

    init {
        require(capacity >= 1) { "capacity must be at least 1: $capacity" }
    }

    /** How many keys are kept now. */
    public val size: Int get() = entries.size

    /** The value of [key], made now if it is not there. */
    public operator fun get(key: K): V {
        val known = entries[key]
        if (known != null) {
            if (newest !== known) touch(known)
            return known.value
        }
        val made = Entry(create.create(key), ticks.incrementAndGet())
        val entry = entries.putIfAbsent(key, made) ?: made
        touch(entry)
        if (entries.size > capacity) evict(keep = entry)
        return entry.value
    }

    /** The values that are kept now, in no order. */
    public fun values(): List<V> = entries.values.map { it.value }

    private fun touch(entry: Entry<V>) {
        entry.usedAt = ticks.incrementAndGet()
        newest = entry
    }

    private fun evict(keep: Entry<V>) {
        while (entries.size > capacity) {
            val oldest = entries.entries.filter { it.value !== keep }.minByOrNull { it.value.usedAt } ?: return
            if (entries.remove(oldest.key, oldest.value)) onDropped.dropped(oldest.key, oldest.value.value)
        }
    }

    override fun toString(): String = "keyed($size of $capacity)"
}
