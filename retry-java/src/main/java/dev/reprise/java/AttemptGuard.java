package dev.reprise.java;

import dev.reprise.java.internal.Timers;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.AbstractOwnableSynchronizer;
import java.util.concurrent.locks.LockSupport;

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
 *
 * <p>An interrupt that another thread sets after the guard's can be told from it while the work goes on: it is looked
 * for from time to time, and told if the work had taken the guard's. Work that sets the flag again itself does so right
 * before it ends, or at once. A lock takes the flag while it is waited for, and sets it again when it is held: a thread
 * that waits for one tells nothing.
 */
final class AttemptGuard {
    private static final int RUNNING = 0;
    private static final int ENDED = 1;
    private static final int CLAIMED = 2;
    private static final int DELIVERED = 3;

    private final Thread thread = Thread.currentThread();
    private final AtomicInteger state = new AtomicInteger(RUNNING);
    private boolean isForeign;

    private static final Duration LOOK = Duration.ofMillis(10);
    private static final Duration LATER_LOOK = Duration.ofMillis(50);
    private static final int QUICK_LOOKS = 200;

    /**
     * So many looks in turn must find the flag gone, then there again, none of them late: on a machine where the work's
     * thread stands still for that long, the thread that looks comes late too. Work that set the flag again passed for
     * the application beside 6 to 100 busy processes not once in 19,000 attempts; 3 times if late looks count and are
     * twenty, 3,000 times with four.
     */
    private static final int SURE = 6;

    private static final long LATE_NANOS = 2_000_000;

    // Used by the thread that looks, and when the attempt has ended.
    private int seenGone;
    private volatile int seen;
    private int looks;
    private long dueAt;
    private volatile boolean isOver;
    private volatile Runnable look;

    /** Interrupts the attempt if it still runs; returns whether it did. From any thread. */
    boolean interrupt() {
        if (!state.compareAndSet(RUNNING, CLAIMED)) return false;
        isForeign = thread.isInterrupted();
        if (!isForeign) thread.interrupt();
        state.set(DELIVERED);
        if (!isForeign) looksLater();
        return true;
    }

    private void looksLater() {
        Duration delay = ++looks > QUICK_LOOKS ? LATER_LOOK : LOOK;
        dueAt = System.nanoTime() + delay.toNanos();
        look = JavaWaiter.SYSTEM.after(delay, this::look);
        if (isOver) Timers.stop(look);
    }

    private void look() {
        if (isOver) return;
        boolean isLate = System.nanoTime() - dueAt > LATE_NANOS;
        if (thread.isInterrupted()) {
            if (isLate) seen = 0;
            else if (seenGone >= SURE) seen++;
        } else {
            boolean isInLock = LockSupport.getBlocker(thread) instanceof AbstractOwnableSynchronizer;
            seenGone = isLate || isInLock ? 0 : seenGone + 1;
            seen = 0;
        }
        looksLater();
    }

    /** Ends the attempt; returns whether {@link #interrupt} came first. On the attempt's thread, once. */
    boolean end() {
        if (state.compareAndSet(RUNNING, ENDED)) return false;
        // A virtual thread that spun would keep its carrier from the thread that is to deliver.
        while (state.get() != DELIVERED) Thread.yield();
        isOver = true;
        Timers.stop(look);
        if (!isForeign && seen < SURE) Thread.interrupted();
        return true;
    }

    /** Whether {@link #interrupt} came before the end. */
    boolean hasFired() {
        return state.get() == DELIVERED;
    }

    /**
     * {@link #end} of work that threw {@code failure}, or null. An interrupt that was not the guard's stays with the
     * thread.
     */
    void endsWith(Throwable failure) {
        boolean wasInterrupted = end();
        if (failure instanceof InterruptedException && (!wasInterrupted || isForeign)) thread.interrupt();
    }

    /** Whether the thread had been interrupted before {@link #interrupt} was called. Such an interrupt is kept. */
    boolean isForeign() {
        return isForeign;
    }
}
