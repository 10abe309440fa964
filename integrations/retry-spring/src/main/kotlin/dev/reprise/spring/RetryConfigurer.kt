package dev.reprise.spring

import dev.reprise.java.JavaRetrierBuilder

/** Configures the retriers of a [RetryRegistry] as they are made: listeners, executor, shared quota, clock. */
public fun interface RetryConfigurer {
    /** Configures [builder], which makes a retrier of the name [name]: the one of that name, or one of its hosts. */
    public fun configure(name: String, builder: JavaRetrierBuilder)
}
