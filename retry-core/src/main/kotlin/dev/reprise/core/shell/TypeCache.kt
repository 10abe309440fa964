package dev.reprise.core.shell

import java.lang.ref.WeakReference

/**
 * What [compute] returns for a class, kept as long as the class is. A `ClassValue`, which Android lacks: a hash table that is read without a
 * lock, allocates nothing for a class that it knows, and keeps no class loader. [compute] may run more than once for a class, and must not
 * return what refers to it. Safe for any number of threads.
 */
internal class TypeCache<V>(private val compute: (Class<*>) -> V) {
    // At most half full, so that each probe ends; one empty place before the first class, since most are never asked. Replaced as a whole: if two threads do so at once, one's class is computed anew later.
    @Volatile
    private var table = arrayOfNulls<Entry<V>>(1)

    operator fun get(type: Class<*>): V {
        val table = table
        var at = type.hashCode() and table.size - 1
        while (true) {
            val entry = table[at] ?: return Entry(type, compute(type)).also(::put).value
            if (entry.get() === type) return entry.value
            at = at + 1 and table.size - 1
        }
    }

    /** Adds [entry], and leaves out the classes that are gone. */
    private fun put(entry: Entry<V>) {
        // Inlined: what is not brings the largest classes of kotlin-stdlib to the first call of a program (19 ms).
        val entries = table.mapNotNullTo(ArrayList()) { known -> known?.takeIf { it.get() != null } }
        entries.add(entry)
        val next = arrayOfNulls<Entry<V>>(Integer.highestOneBit(entries.size) * ROOM)
        for (each in entries) {
            var at = each.hash and next.size - 1
            while (next[at] != null) at = at + 1 and next.size - 1
            next[at] = each
        }
        table = next
    }

    private class Entry<V>(type: Class<*>, val value: V) : WeakReference<Class<*>>(type) {
        val hash = type.hashCode()
    }
}

private const val ROOM = 4
