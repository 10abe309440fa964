package dev.reprise.java;

import dev.reprise.core.Attempt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * Attempts that an executor runs. One that is cancelled is interrupted, and the executor's thread goes on without that
 * interrupt.
 */
record OnExecutor<T>(BlockingAttempt<T, ? extends Exception> work, Executor executor) implements AsyncAttempt<T> {
    @Override
    public CompletionStage<T> start(Attempt attempt) {
        Run<T> run = new Run<>(work, attempt);
        executor.execute(run);
        return run;
    }

    @Override
    public void discard(T result) {
        work.discard(result);
    }

    @Override
    public boolean releasesBeforeWait() {
        return work.releasesBeforeWait();
    }

    private static final class Run<T> extends CompletableFuture<T> implements Runnable {
        private final BlockingAttempt<T, ? extends Exception> work;
        private final Attempt attempt;
        private volatile AttemptGuard guard;

        Run(BlockingAttempt<T, ? extends Exception> work, Attempt attempt) {
            this.work = work;
            this.attempt = attempt;
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
                if (isWanted) result = work.make(attempt);
            } catch (Throwable e) {
                failure = e;
            }
            // Ends in any case: a guard left behind would interrupt whatever runs next on this thread.
            boolean wasCancelled = guard.end();
            if (!isWanted) return;
            if (failure instanceof InterruptedException && (!wasCancelled || guard.isForeign()))
                Thread.currentThread().interrupt();
            if (failure != null) completeExceptionally(failure);
            else if (!complete(result)) Throwables.discard(work, result, null);
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean isCancelled = super.cancel(mayInterruptIfRunning);
            AttemptGuard running = guard;
            if (isCancelled && running != null) running.interrupt();
            return isCancelled;
        }
    }
}
