package dev.reprise.core.shell

import java.lang.ref.WeakReference

/**
 * What [compute] returns for a class, kept as long as the class is. A `ClassValue`, which Android lacks: a hash table that is read without a
 * lock, allocates nothing for a class that it knows, and keeps no class loader. [compute] may run more than once for a class, and must not
 * return what refers to it. Safe for any number of threads.
 */
internal class TypeCache<V>(private val compute: (Class<*>) -> V) {
    // At most half full, so that each probe ends. Racy: who misses an entry looks again under the lock.
    @Volatile
    private var table = arrayOfNulls<Entry<V>>(SMALLEST)
    private var used = 0

    operator fun get(type: Class<*>): V {
        val table = table
        var at = type.hashCode() and table.size - 1
        while (true) {
            val entry = table[at] ?: return put(Entry(type, compute(type))).value
            if (entry.get() === type) return entry.value
            at = at + 1 and table.size - 1
        }
    }

    @Synchronized
    private fun put(entry: Entry<V>): Entry<V> {
        if (used >= table.size / 2) grow()
        return put(entry, table).also { if (it === entry) used++ }
    }

    /** Makes room, without the classes that are gone. */
    private fun grow() {
        val live = table.filter { it?.get() != null }
        val larger = arrayOfNulls<Entry<V>>(SMALLEST.coerceAtLeast(Integer.highestOneBit(live.size) * GROWTH))
        for (entry in live) put(entry!!, larger)
        used = live.size
        table = larger
    }

    /** Puts [entry] into [table] unless its class has one there, which it returns. */
    private fun put(entry: Entry<V>, table: Array<Entry<V>?>): Entry<V> {
        var at = entry.hash and table.size - 1
        while (true) {
            val other = table[at] ?: return entry.also { table[at] = it }
            val type = other.get()
            if (type != null && type === entry.get()) return other
            at = at + 1 and table.size - 1
        }
    }

    private class Entry<V>(type: Class<*>, val value: V) : WeakReference<Class<*>>(type) {
        val hash = type.hashCode()
    }

    private companion object {
        const val SMALLEST = 16
        const val GROWTH = 8
    }
}
