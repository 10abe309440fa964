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
     * Returns after at least {@code nanos} ns, which are above zero.
     *
     * @throws InterruptedException at once, when the thread is interrupted or was before
     */
    void await(long nanos) throws InterruptedException;

    /**
     * Runs {@code task} once, after at least {@code nanos} ns, which are above zero. The task is quick and does not
     * throw: it may run on a thread that all waits share. Answers what calls it off and lets go of it, as long as it
     * has not begun.
     */
    Runnable after(long nanos, Runnable task);
}
