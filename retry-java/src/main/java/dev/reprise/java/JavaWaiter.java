package dev.reprise.java;

/**
 * Waits, on a thread or without one. Replaced only by programs that simulate time.
 *
 * <p>Safe for any number of threads.
 */
public interface JavaWaiter {
    /** Parks the calling thread, and keeps one daemon thread for what is to happen later. */
    JavaWaiter SYSTEM = new SystemWaiter();

    /**
     * Returns after at least {@code nanos} ns.
     *
     * @param nanos how long, in ns; above zero
     * @throws InterruptedException at once, when the thread is interrupted or was before
     */
    void await(long nanos) throws InterruptedException;

    /**
     * Runs {@code task} once, after at least {@code nanos} ns.
     *
     * @param nanos how long, in ns; above zero
     * @param task is quick and does not throw: it may run on a thread that all waits share
     * @return runs to call the task off, and to let go of it; does nothing when the task has begun
     */
    Runnable after(long nanos, Runnable task);
}
