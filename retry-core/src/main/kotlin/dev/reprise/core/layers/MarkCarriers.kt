package dev.reprise.core.layers

import dev.reprise.core.shell.ShellApi
import java.util.concurrent.atomic.AtomicReference

/**
 * Where marks are found: on exceptions among what is suppressed, and on what an HTTP library returns or throws by a reader
 * that its face adds.
 */
@ShellApi
public object MarkCarriers {
    /** Finds the mark that a face has attached to a [value][markOf] of its library. */
    public fun interface Reader {
        /** The mark that [value] carries, or `null`. Called for failures alone, with values of any type. */
        public fun markOf(value: Any): GiveUpMark?
    }

    private val readers = AtomicReference<List<Reader>>(emptyList())

    /** Adds [reader], once. */
    @JvmStatic
    public fun add(reader: Reader) {
        readers.updateAndGet { if (reader in it) it else it + reader }
    }

    /** The marks that are attached to [failure] directly. */
    internal fun marksOf(failure: Throwable): List<GiveUpMark> {
        val onValue = readers.get().firstNotNullOfOrNull { it.markOf(failure) }
        val marks = failure.suppressed.filterIsInstance<GiveUpMark>()
        return if (onValue == null) marks else marks + onValue
    }

    /** The mark that [result] carries, or `null`. */
    internal fun markOf(result: Any?): GiveUpMark? =
        if (result == null) null else result as? GiveUpMark ?: readers.get().firstNotNullOfOrNull { it.markOf(result) }
}
