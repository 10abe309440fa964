package dev.reprise.core.call

import dev.reprise.core.LoggingListener
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener

/** Several listeners as one that never throws. */
internal class Listeners private constructor(private val all: Array<RetryListener>) : RetryListener {
    override fun onEvent(event: RetryEvent) {
        for (listener in all) {
            try {
                listener.onEvent(event)
            } catch (e: Throwable) {
                report(listener, event, e)
            }
        }
    }

    /** Whatever a listener throws must not change the call: not even an error, or an interrupt that it swallowed. */
    private fun report(listener: RetryListener, event: RetryEvent, failure: Throwable) {
        if (failure is InterruptedException) Thread.currentThread().interrupt()
        try {
            System
                .getLogger(LoggingListener.LOGGER)
                .log(
                    System.Logger.Level.WARNING,
                    "the retry listener ${listener.javaClass.name} failed on $event",
                    failure,
                )
        } catch (_: Throwable) {
            // Then no listener is left to tell.
        }
    }

    companion object {
        /** [listeners] as one, or `null` for none. */
        fun of(listeners: List<RetryListener>): Listeners? =
            if (listeners.isEmpty()) null else Listeners(listeners.toTypedArray())
    }
}
