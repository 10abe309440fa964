package dev.reprise.spring.http

import dev.reprise.core.shell.layers.GiveUpMark
import dev.reprise.core.shell.layers.MarkCarriers
import dev.reprise.core.shell.layers.Marked
import dev.reprise.core.shell.values.SHOULD_RETRY
import dev.reprise.spring.SpringErrors
import org.springframework.http.HttpHeaders
import java.lang.ref.ReferenceQueue
import java.lang.ref.WeakReference
import java.util.concurrent.ConcurrentHashMap

/**
 * Carries the trace of a call to the exception that Spring makes of its response: Spring copies the headers, but not
 * their values, so the object that is a header's value leads to the trace for as long as it is there.
 */
internal object CarriedTraces : MarkCarriers.Reader {
    private val marks = ConcurrentHashMap<Value, GiveUpMark>()
    private val gone = ReferenceQueue<String>()

    /** Lets [headers] lead to [mark]: by a new `x-should-retry: false` if its call gave up, else by a copy of a value that they have. */
    fun attach(mark: GiveUpMark, headers: HttpHeaders) {
        if (mark.giveUpMark != null) {
            headers[SHOULD_RETRY] = valueFor(mark, "false")
            return
        }
        val (name, values) = headers.headerSet().firstOrNull { it.value.isNotEmpty() } ?: return
        headers.put(name, listOf(valueFor(mark, values.first())) + values.drop(1))
    }

    /** A new object equal to [text] that leads to [mark]. */
    private fun valueFor(mark: GiveUpMark, text: String): String {
        while (true) marks.remove(gone.poll() ?: break)
        val value = String(text.toCharArray())
        marks[Value(value, gone)] = mark
        return value
    }

    override fun of(value: Any): Marked? {
        if (value !is Throwable || marks.isEmpty()) return null
        return SpringErrors.headerValuesOf(value).firstNotNullOfOrNull { marks[Value(it, null)] }
    }

    /** A string, held weakly; equal if it is the same object. */
    private class Value(value: String, queue: ReferenceQueue<String>?) : WeakReference<String>(value, queue) {
        private val hash = System.identityHashCode(value)

        override fun equals(other: Any?): Boolean =
            this === other || (other is Value && get().let { it != null && it === other.get() })

        override fun hashCode(): Int = hash
    }
}
