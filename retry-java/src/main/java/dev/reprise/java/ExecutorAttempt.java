package dev.reprise.java;

import dev.reprise.core.Attempt;
import dev.reprise.core.ServedRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * An attempt that an executor runs, and its stage. Cancelling it interrupts the attempt alone: the executor's thread
 * continues without that interrupt. It begins with {@link #start}, so that a cancellation finds it on any executor,
 * also on one that runs it before {@code start} returns.
 */
final class ExecutorAttempt<T> extends CompletableFuture<T> implements Runnable {
    private final BlockingAttempt<T, ?> work;
    private final Attempt attempt;
    private final Executor executor;
    private final boolean isBlocking;
    /** The request that the thread worked for which made this: so do calls inside the work. Null for none. */
    private final ServedRequest served = ServedRequest.current();

    private volatile AttemptGuard guard;

    /**
     * An attempt of a call that {@code isBlocking} fails with what its work threw, as it is; that of a future without
     * the wrappers of futures.
     */
    ExecutorAttempt(BlockingAttempt<T, ?> work, Attempt attempt, Executor executor, boolean isBlocking) {
        this.work = work;
        this.attempt = attempt;
        this.executor = executor;
        this.isBlocking = isBlocking;
    }

    /** Gives the attempt to the executor. One that rejects it has failed the attempt. */
    void start() {
        try {
            executor.execute(this);
        } catch (Throwable e) {
            completeExceptionally(e);
        }
    }

    @Override
    public void run() {
        AttemptGuard guard = new AttemptGuard();
        this.guard = guard;
        T result = null;
        Throwable failure = null;
        // Looked at after the guard is there: a cancel either finds the guard, or is found here.
        boolean isWanted = !isDone();
        try {
            if (isWanted) result = ServedAttempt.make(work, attempt, served);
        } catch (Throwable e) {
            failure = e;
        }
        // Ends in any case: a guard left behind would interrupt whatever runs next on this thread.
        boolean wasCancelled = guard.end();
        if (!isWanted) return;
        if (failure instanceof InterruptedException && (!wasCancelled || guard.isForeign()))
            Thread.currentThread().interrupt();
        if (failure != null) completeExceptionally(isBlocking ? failure : Throwables.withoutWrappers(failure));
        else if (!complete(result)) Throwables.discard(work, result, null);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean isCancelled = super.cancel(mayInterruptIfRunning);
        AttemptGuard running = guard;
        if (isCancelled && running != null && running.interrupt()) work.cut(attempt);
        return isCancelled;
    }
}
