package dev.reprise.spring

import dev.reprise.java.JavaRetrier
import dev.reprise.java.JavaRetrierBuilder

/** Configures the retriers of a [RetryRegistry] as they are made: listeners, executor, shared quota, clock. */
public fun interface RetryConfigurer {
    /** Configures [builder], which makes a retrier of the name [name]: the one of that name, or one of its hosts. */
    public fun configure(name: String, builder: JavaRetrierBuilder)

    /**
     * Sees the [retrier] called [name] when it has been made, and again each time its policy was replaced: its quota and send rate
     * may then be others. Not called for the retriers of hosts. Does nothing by default.
     */
    public fun updated(name: String, retrier: JavaRetrier) {}
}
