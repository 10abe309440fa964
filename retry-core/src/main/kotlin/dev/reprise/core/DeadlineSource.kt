package dev.reprise.core

import java.time.Duration

/**
 * Returns the time left to the work of the calling thread, if another library keeps that: gRPC's `Context`, a request's
 * budget in a `ThreadLocal`. Called once for each call, on the thread that begins it, before its first attempt. Must be
 * fast and thread-safe. If it throws, the call throws that exception, or its future fails with it.
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
