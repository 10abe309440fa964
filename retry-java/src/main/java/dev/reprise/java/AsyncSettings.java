package dev.reprise.java;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;

/**
 * The executors of asynchronous calls. They wait with {@code waiter} and continue after a wait on {@code executor}.
 * They complete their futures on {@code completion}, or, if that is null, on the thread of the call's last step.
 */
record AsyncSettings(JavaWaiter waiter, Executor executor, Executor completion) {
    // Not a constant: blocking calls need no pool.
    private static final class Pool {
        // Not simply CompletableFuture's default: on two cores or fewer that is a new thread for every task.
        static final Executor COMMON = ForkJoinPool.getCommonPoolParallelism() > 0
                ? ForkJoinPool.commonPool()
                : new CompletableFuture<Void>().defaultExecutor();
    }

    static Executor pool() {
        return Pool.COMMON;
    }

    /** The settings for the builder's {@code executor}; null if none was set. */
    static AsyncSettings of(JavaWaiter waiter, Executor executor) {
        return new AsyncSettings(waiter, executor, executor);
    }

    /** Where calls go on after a wait; the common pool if the builder named none. */
    @Override
    public Executor executor() {
        return executor == null ? pool() : executor;
    }

    /** These settings for attempts that run on {@code executor}: calls go on there, and complete where they ended. */
    AsyncSettings on(Executor executor) {
        return new AsyncSettings(waiter, executor, null);
    }
}
