package dev.reprise.core.shell.call

import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.shell.text.WarningLog

/** Several listeners as one that never throws. One that was added twice hears each event once. */
internal class Listeners(listeners: List<RetryListener>) : RetryListener {
    private val all =
        listeners.filterIndexed { at, one -> listeners.indexOfFirst { it === one } == at }.toTypedArray()

    /**
     * Whether the calling thread is inside one of these listeners. A call that begins there tells none of them:
     * otherwise a listener that makes a call would cause an endless chain.
     */
    val isTelling: Boolean
        get() = generateSequence(now.get()[0] as Telling?) { it.outer }.any { it.listeners.shares(this) }

    override fun onEvent(event: RetryEvent) {
        val slot = now.get()
        val outer = slot[0] as Telling?
        slot[0] = Telling(this, outer)
        try {
            for (listener in all) tell(listener, event)
        } finally {
            slot[0] = outer
        }
    }

    private fun tell(listener: RetryListener, event: RetryEvent) = try {
        listener.onEvent(event)
    } catch (e: Throwable) {
        report(listener, event, e)
    }

    /** A listener's exception must not change the call, not even an error, or an interrupt that it swallowed. */
    private fun report(listener: RetryListener, event: RetryEvent, failure: Throwable) {
        if (failure is InterruptedException) Thread.currentThread().interrupt()
        try {
            val name = listener.javaClass.name
            // An error comes again at each event, and its stack may be long.
            if (failure is Error && !WarningLog.isFirst("$name threw ${failure.javaClass.name}")) return
            WarningLog.log("WARNING", "the retry listener $name failed on $event", failure)
        } catch (_: Throwable) {
            // Then no listener is left to tell.
        }
    }

    private fun shares(other: Listeners) = all.any { mine -> other.all.any { it === mine } }

    /** Listeners that a thread is telling an event, inside [outer] ones. */
    private class Telling(val listeners: Listeners, val outer: Telling?)
}

/** The innermost [Telling] of a thread. An array: threads outlive this library's classes, and would keep one of them. */
private val now = ThreadLocal.withInitial { arrayOfNulls<Any>(1) }
