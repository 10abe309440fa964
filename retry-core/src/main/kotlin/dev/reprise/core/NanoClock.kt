package dev.reprise.core

/**
 * A monotonic clock. Only differences of its readings have a meaning; shells read it and pass the readings to the
 * engine.
 */
public fun interface NanoClock {
    /** The time in ns since some fixed moment. */
    public fun nanoTime(): Long
}
