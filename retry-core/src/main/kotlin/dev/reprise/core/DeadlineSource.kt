package dev.reprise.core

import java.time.Duration

/**
 * Tells how long the piece of work may still take that the calling thread is busy with, where some other library carries
 * that: gRPC's `Context`, a request's budget in a `ThreadLocal`. Asked once, on the thread that begins a call, before the
 * call's first attempt; must be fast and thread-safe. What it throws is what the call throws, or its future fails with.
 *
 * ```
 * DeadlineSource grpc = () -> {
 *     Deadline deadline = Context.current().getDeadline();
 *     return deadline == null ? null : Duration.ofNanos(deadline.timeRemaining(NANOSECONDS));
 * };
 * ```
 */
public fun interface DeadlineSource {
    /** The time that is left; zero or less if it is over, `null` if there is no limit. */
    public fun timeLeft(): Duration?
}
