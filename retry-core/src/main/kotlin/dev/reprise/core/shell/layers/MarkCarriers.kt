package dev.reprise.core.shell.layers

import dev.reprise.core.shell.MAX_CAUSES
import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.causeOf
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

    /** Whether [outcome], an attempt's result or exception, or one of its nearest causes carries a mark. */
    internal fun isMarked(outcome: Any?): Boolean {
        eachMarkOf(outcome) { return true }
        return false
    }

    /** Calls [look] with each mark that [outcome] carries, or one of its nearest causes. */
    internal inline fun eachMarkOf(outcome: Any?, look: (GiveUpMark) -> Unit) {
        if (outcome !is Throwable) {
            markOf(outcome)?.let(look)
            return
        }
        var cause: Throwable? = outcome
        var depth = 0
        while (cause != null && depth++ < MAX_CAUSES) {
            for (suppressed in cause.suppressed) (suppressed as? Marked)?.giveUpMark?.let(look)
            onValue(cause)?.let(look)
            cause = causeOf(cause)
        }
    }

    /** The mark of [result], or `null`. */
    internal fun markOf(result: Any?): GiveUpMark? = if (result is Marked) result.giveUpMark else result?.let(::onValue)

    /** The mark that a face has attached to [value]; `null` for none. */
    private fun onValue(value: Any): GiveUpMark? = attachedTo(value)?.giveUpMark

    /** The trace or the mark that a face has attached to [value], also that of a call which did not give up; `null` for none. */
    internal fun attachedTo(value: Any): GiveUpMark? =
        readers.get().firstNotNullOfOrNull { it.of(value) }?.let { it as? GiveUpMark ?: it.giveUpMark }
}
