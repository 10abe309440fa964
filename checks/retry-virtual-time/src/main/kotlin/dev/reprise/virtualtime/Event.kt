package dev.reprise.virtualtime

/** An event of a simulation. It is in one [EventQueue] at most, once, and may be scheduled again after it has happened. */
public abstract class Event {
    /** The time of the event in ns; meaningful while it is scheduled. */
    public var at: Long = 0
        internal set

    internal var order = 0L
    internal var place = NOWHERE

    /** Whether the event is in a queue. */
    public val isScheduled: Boolean get() = place != NOWHERE

    /** Happens: the queue's time is [at], and the event is no longer scheduled. */
    public abstract fun happen()

    internal companion object {
        const val NOWHERE = -1
    }
}
