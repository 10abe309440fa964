package dev.reprise.core

import dev.reprise.core.backoff.nanosText

/** One line of a [RetryTrace]. Immutable; compares by value. */
public class FailedAttempt internal constructor(
    /** The attempt's number, from 1. */
    public val number: Int,
    /**
     * What it failed with: the exception, or the bad result, as one line of bounded length, without the queries and
     * passwords of URLs.
     */
    public val what: String,
    /** The wait that followed, in ns; 0 after the last one. */
    public val delayNanos: Long,
) {
    override fun equals(other: Any?): Boolean =
        other is FailedAttempt && number == other.number && what == other.what && delayNanos == other.delayNanos

    override fun hashCode(): Int = (number * 31 + what.hashCode()) * 31 + delayNanos.hashCode()

    override fun toString(): String =
        "attempt $number: $what" + if (delayNanos > 0) ", then waited ${nanosText(delayNanos)}" else ""
}
