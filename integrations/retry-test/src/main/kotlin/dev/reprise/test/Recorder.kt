package dev.reprise.test

import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener

/** A listener that keeps every event, and asserts on them with plain `AssertionError`s. Safe for any number of threads. */
public class Recorder : RetryListener {
    private val kept = mutableListOf<RetryEvent>()

    /** All events so far, in order. */
    public val events: List<RetryEvent> get() = synchronized(kept) { kept.toList() }

    /** The calls so far, in the order in which they began. */
    public val calls: List<RecordedCall>
        get() = events.groupBy { it.callId }.values.map(::RecordedCall)

    /** The only call so far. */
    public val call: RecordedCall
        get() = calls.singleOrNull() ?: throw AssertionError("expected one call, but there were ${calls.size}")

    override fun onEvent(event: RetryEvent): Unit = synchronized(kept) { kept += event }

    /** Forgets all recorded events. */
    public fun clear(): Unit = synchronized(kept) { kept.clear() }

    /** Asserts that every call has ended exactly once. */
    public fun assertAllEndedOnce(): Recorder = apply { calls.forEach { it.assertEndedOnce() } }

    override fun toString(): String = calls.joinToString("\n\n")
}
