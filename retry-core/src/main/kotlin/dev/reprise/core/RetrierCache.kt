package dev.reprise.core

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong
import java.util.function.BiConsumer
import java.util.function.Function

/**
 * A map of at most [capacity] values, such as a retrier for each destination. A value is made on first use; the least
 * recently used one is evicted.
 *
 * ```kotlin
 * val retriers = RetrierCache<String, Retrier>(capacity = 100) { Retrier(RetryPolicy.ADAPTIVE_STEADY) }
 * val user = retriers[host] { api.fetch(id) }
 * ```
 *
 * Safe for any number of threads. A look-up of a present key takes no lock; using the same key again and again writes
 * nothing. If threads race for a new key, its value may be made more than once; one is kept.
 *
 * An evicted value stays usable for callers that still hold it. The third argument is called with each evicted value,
 * for instance to remove its meters, on the thread whose look-up evicted it; if it throws, the look-up throws.
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

    private val entries = ConcurrentHashMap<K, Entry<V>>()
    private val ticks = AtomicLong(1)

    init {
        require(capacity >= 1) { "capacity must be at least 1: $capacity" }
    }

    /** How many keys are kept now. */
    public val size: Int get() = entries.size

    /** Returns the value of [key], making it if it is absent. */
    public operator fun get(key: K): V {
        var made: Entry<V>? = null
        while (true) {
            val known = entries[key]
            if (known == null) {
                made = made ?: Entry(create.apply(key))
                made.use(ticks)
                if (entries.putIfAbsent(key, made) != null) continue
                if (entries.size > capacity) evict(keep = made)
                return made.value
            }
            if (known.use(ticks)) return known.value
            entries.remove(key, known)
        }
    }

    /** The values that are kept now, in no order. */
    public fun values(): List<V> = entries.values.map { it.value }

    private fun evict(keep: Entry<V>) {
        while (entries.size > capacity) {
            val others = entries.map { Triple(it.key, it.value, it.value.usedAt.get()) }.filter { it.second !== keep }
            val (key, entry, usedAt) = others.minByOrNull { it.third } ?: return
            // An entry that was used since is not the oldest. One that another thread marked is only removed.
            val isOwn = usedAt != GONE && entry.usedAt.compareAndSet(usedAt, GONE)
            if (isOwn || usedAt == GONE) entries.remove(key, entry)
            if (isOwn) onDropped.accept(key, entry.value)
        }
    }

    /** A value, with the tick of its last use, or [GONE]. */
    private class Entry<V>(val value: V) {
        val usedAt = AtomicLong()

        /** Notes a use. Returns false if the value was dropped. A tick that is written late replaces no newer one. */
        fun use(ticks: AtomicLong): Boolean {
            var last = usedAt.get()
            if (last == ticks.get()) return true
            val now = ticks.incrementAndGet()
            while (last in 0..<now) {
                if (usedAt.compareAndSet(last, now)) return true
                last = usedAt.get()
            }
            return last != GONE
        }
    }

    override fun toString(): String = "RetrierCache($size of $capacity)"
}

/** Marks an evicted value: a thread that still finds it looks again. */
private const val GONE = -1L
