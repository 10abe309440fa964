package dev.reprise.java.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits of a thread for a future. {@link CompletableFuture#get} serves for neither step: on a worker of a fork-join
 * pool it runs other tasks meanwhile, and from JDK 25 on it throws another {@code CancellationException} than the one
 * that the future ended with.
 */
public final class Futures {
    private Futures() {}

    /**
     * Parks the thread until {@code future} has ended.
     *
     * @throws InterruptedException at once, when the thread is interrupted or was before, unless the future has ended
     */
    public static void park(CompletableFuture<?> future) throws InterruptedException {
        if (future.isDone()) return;
        Thread thread = Thread.currentThread();
        future.whenComplete((result, failure) -> LockSupport.unpark(thread));
        while (!future.isDone()) {
            if (Thread.interrupted()) throw new InterruptedException();
            LockSupport.park(future);
        }
    }

    /** Returns what {@code ended} failed with, as it is, or null. To read it as a result costs no wrapper. */
    public static Throwable failureOf(CompletableFuture<?> ended) {
        if (!ended.isCompletedExceptionally()) return null;
        return ended.<Throwable>handle((result, failure) -> failure).join();
    }
}
