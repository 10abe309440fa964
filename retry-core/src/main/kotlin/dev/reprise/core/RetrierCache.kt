package dev.reprise.core

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong
import java.util.function.BiConsumer
import java.util.function.Function

/**
 * One value for each key, such as a retrier for each destination: made on first use, at most [capacity] of them, and when
 * there is one too many the least recently used goes.
 *
 * ```kotlin
 * val retriers = RetrierCache<String, Retrier>(capacity = 100) { Retrier(RetryPolicy.ADAPTIVE_STEADY) }
 * val user = retriers[host] { api.fetch(id) }
 * ```
 *
 * Safe for any number of threads. Looking up a key that is there takes no lock; using the same key again and again writes
 * nothing. Where threads race for a new key its value may be made more than once; one is kept.
 *
 * A value that was dropped stays usable for callers that still hold it. A third argument is told of each one, such as to remove
 * its meters, on the thread that brought a key too many; what it throws comes out of the look-up.
 */
public class RetrierCache<K : Any, V : Any>(
    /** The most keys that are kept; at least 1. */
    public val capacity: Int,
    private val create: Function<K, V>,
    private val onDropped: BiConsumer<K, V>,
) {
    /**
     * At most [capacity] values that [create] makes.
     *
     * @throws IllegalArgumentException if [capacity] is below 1
     */
    public constructor(capacity: Int, create: Function<K, V>) : this(capacity, create, BiConsumer { _, _ -> })

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
        val made = Entry(create.apply(key), ticks.incrementAndGet())
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
            if (entries.remove(oldest.key, oldest.value)) onDropped.accept(oldest.key, oldest.value.value)
        }
    }

    override fun toString(): String = "RetrierCache($size of $capacity)"
}
