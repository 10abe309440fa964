package dev.reprise.spring

import dev.reprise.java.JavaRetrier
import dev.reprise.java.JavaRetrierBuilder

/** Configures the retriers of a [RetryRegistry] as they are made: listeners, executor, shared quota, clock. */
public fun interface RetryConfigurer {
    /** Configures [builder], which makes the retrier of the name [name]. */
    public fun configure(name: String, builder: JavaRetrierBuilder)

    /**
     * Configures [builder], which makes the retrier of an HTTP client for a host by the policy [name]. Does what [configure] does by
     * default.
     */
    public fun configureHost(name: String, builder: JavaRetrierBuilder): Unit = configure(name, builder)

    /**
     * Sees the [retrier] called [name] when it has been made, and again each time its policy was replaced: its quota and send rate
     * may then be others. Not called for the retriers of hosts. Does nothing by default.
     */
    public fun updated(name: String, retrier: JavaRetrier) {}
}
