package dev.reprise.java;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Lets another thread interrupt one attempt on this thread, and nothing but that attempt.
 *
 * <pre>
 * RUNNING ──end──> ENDED
 *    └──interrupt──> CLAIMED ──the interrupt is set──> DELIVERED
 * </pre>
 *
 * The thread that leaves RUNNING has decided. An attempt that ends and finds itself claimed waits the moment until the
 * interrupt is there, and takes it back: none arrives later. An interrupt that was there before is not the guard's and
 * stays.
 */
final class AttemptGuard {
    private static final int RUNNING = 0;
    private static final int ENDED = 1;
    private static final int CLAIMED = 2;
    private static final int DELIVERED = 3;

    private final Thread thread = Thread.currentThread();
    private final AtomicInteger state = new AtomicInteger(RUNNING);
    private boolean isForeign;

    /** Interrupts the attempt if it still runs; returns whether it did. From any thread. */
    boolean interrupt() {
        if (!state.compareAndSet(RUNNING, CLAIMED)) return false;
        isForeign = thread.isInterrupted();
        if (!isForeign) thread.interrupt();
        state.set(DELIVERED);
        return true;
    }

    /** Ends the attempt; returns whether {@link #interrupt} came first. On the attempt's thread, once. */
    boolean end() {
        if (state.compareAndSet(RUNNING, ENDED)) return false;
        // A virtual thread that spun would keep its carrier from the thread that is to deliver.
        while (state.get() != DELIVERED) Thread.yield();
        if (!isForeign) Thread.interrupted();
        return true;
    }

    /**
     * Whether the thread had been interrupted before {@link #interrupt} was called. Such an interrupt is kept. A later
     * one looks like the guard's own, and is cleared with it.
     */
    boolean isForeign() {
        return isForeign;
    }
}
