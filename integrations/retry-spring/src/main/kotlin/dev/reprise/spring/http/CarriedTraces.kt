package dev.reprise.spring.http

import dev.reprise.core.shell.layers.GiveUpMark
import dev.reprise.core.shell.layers.MarkCarriers
import dev.reprise.core.shell.layers.Marked
import dev.reprise.spring.SpringErrors
import java.lang.ref.ReferenceQueue
import java.lang.ref.WeakReference
import java.util.concurrent.ConcurrentHashMap

/**
 * Carries the trace of a call that gave up to the exception that Spring makes of its response: Spring copies the headers, but not
 * their values, so the object that is the value of `x-should-retry` leads to the trace for as long as it is there.
 */
internal object CarriedTraces : MarkCarriers.Reader {
    private val marks = ConcurrentHashMap<Value, GiveUpMark>()
    private val gone = ReferenceQueue<String>()

    /** A new value `false` for the header, which leads to [mark]. */
    fun valueFor(mark: GiveUpMark): String {
        while (true) marks.remove(gone.poll() ?: break)
        val value = String(charArrayOf('f', 'a', 'l', 's', 'e'))
        marks[Value(value, gone)] = mark
        return value
    }

    override fun of(value: Any): Marked? {
        if (value !is Throwable || marks.isEmpty()) return null
        return SpringErrors.carriedMark(value)?.let { marks[Value(it, null)] }
    }

    /** A string, held weakly; equal if it is the same object. */
    private class Value(value: String, queue: ReferenceQueue<String>?) : WeakReference<String>(value, queue) {
        private val hash = System.identityHashCode(value)

        override fun equals(other: Any?): Boolean =
            this === other || (other is Value && get().let { it != null && it === other.get() })

        override fun hashCode(): Int = hash
    }
}
