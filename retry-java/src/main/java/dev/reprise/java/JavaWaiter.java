package dev.reprise.java;

import java.time.Duration;

/**
 * Waits, on a thread or without one. Replaced only by programs that simulate time.
 *
 * <p>Safe for any number of threads.
 */
public interface JavaWaiter {
    /** Parks the calling thread, and keeps one daemon thread for timers. */
    JavaWaiter SYSTEM = new SystemWaiter();

    /**
     * Returns after at least {@code duration}, which is above zero.
     *
     * @throws InterruptedException at once, when the thread is interrupted or was before
     */
    void await(Duration duration) throws InterruptedException;

    /**
     * Runs {@code task} once, after at least {@code duration}, which is above zero. The task is quick and does not
     * throw: it may run on a thread that all waits share. Returns a handle that cancels the task and releases it, as
     * long as it has not begun.
     */
    Runnable after(Duration duration, Runnable task);
}
