package dev.reprise.core

/** Whether the work of a call may be done more than once. */
public enum class Repeat {
    /** Repeating does no harm. */
    SAFE,

    /** Only when the failure proves that nothing was sent. */
    IF_UNSENT,

    /** Never, because there is nothing left to repeat it with. */
    NEVER,
}
