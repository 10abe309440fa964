package dev.reprise.core.shell.layers

import dev.reprise.core.shell.ShellApi
import java.util.concurrent.atomic.AtomicReference

/**
 * Finds marks: on exceptions among the suppressed ones, on an HTTP library's results and exceptions by a reader that
 * its face adds.
 */
@ShellApi
public object MarkCarriers {
    /** Finds what a face has attached to a value of its library. */
    public fun interface Reader {
        /** Returns the mark of [value], or `null`. Called for failures alone, with values of any type. */
        public fun of(value: Any): Marked?
    }

    private val readers = AtomicReference<List<Reader>>(emptyList())

    /** Adds [reader], once. */
    @JvmStatic
    public fun add(reader: Reader) {
        readers.updateAndGet { if (reader in it) it else it + reader }
    }

    /** Calls [look] with each mark that is attached to [failure] directly. */
    internal inline fun eachMark(failure: Throwable, look: (GiveUpMark) -> Unit) {
        for (suppressed in failure.suppressed) (suppressed as? Marked)?.giveUpMark?.let(look)
        onValue(failure)?.let(look)
    }

    /** The mark of [result], or `null`. */
    internal fun markOf(result: Any?): GiveUpMark? = if (result is Marked) result.giveUpMark else result?.let(::onValue)

    /** The mark that a face has attached to [value]; `null` for none. */
    internal fun onValue(value: Any): GiveUpMark? = readers.get().firstNotNullOfOrNull { it.of(value) }?.giveUpMark
}
