package dev.reprise.core.time

/** A monotonic clock. Only differences of its readings mean anything; shells read it, the engine is told. */
public fun interface NanoClock {
    /** The time in ns since some fixed moment. */
    public fun nanoTime(): Long
}
