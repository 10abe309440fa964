package dev.reprise.java;

import dev.reprise.core.Attempt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * Attempts that an executor runs. One that is cancelled is interrupted, and the executor's thread goes on without that
 * interrupt.
 */
final class OnExecutor<T> implements AsyncAttempt<T> {
    private final BlockingAttempt<T, ? extends Exception> work;
    private final Executor executor;

    OnExecutor(BlockingAttempt<T, ? extends Exception> work, Executor executor) {
        this.work = work;
        this.executor = executor;
    }

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
            // Looked at after the guard is there: whoever cancels either finds the guard, or is found here.
            if (isDone()) return;
            T result = null;
            Throwable failure = null;
            try {
                result = work.make(attempt);
            } catch (Throwable e) {
                failure = e;
            }
            boolean wasCancelled = guard.end();
            boolean isForeign = !wasCancelled || guard.wasUnnoticed();
            if (failure instanceof InterruptedException && isForeign)
                Thread.currentThread().interrupt();
            if (failure != null) completeExceptionally(failure);
            else if (!complete(result)) work.discard(result);
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
