package dev.reprise.java;

import dev.reprise.core.CallOptions;
import dev.reprise.core.DeadlineSource;
import dev.reprise.core.RetryListener;
import dev.reprise.core.RetryOutcome;
import dev.reprise.core.RetryPolicy;
import dev.reprise.coroutines.Retrier;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** The Java face of a {@link Retrier}: hands each call to the blocking or to the asynchronous loop. */
final class SharedRetrier implements JavaRetrier {
    private final Retrier retrier;
    private final BlockingLoop blocking;
    private final AsyncLoop async;

    SharedRetrier(Retrier retrier, JavaWaiter waiter, Executor executor) {
        this(retrier, new BlockingLoop(Objects.requireNonNull(waiter, "waiter")), AsyncLoop.of(waiter, executor));
    }

    private SharedRetrier(Retrier retrier, BlockingLoop blocking, AsyncLoop async) {
        this.retrier = Objects.requireNonNull(retrier, "retrier");
        this.blocking = blocking;
        this.async = async;
    }

    @Override
    public <T, X extends Throwable> T callWithAttempt(CallOptions options, BlockingAttempt<T, X> work) throws X {
        Objects.requireNonNull(options, "options");
        Objects.requireNonNull(work, "work");
        return blocking.execute(retrier.getSetup(), options, false, work);
    }

    @Override
    public <T, X extends Throwable> T callInterruptiblyWithAttempt(CallOptions options, BlockingAttempt<T, X> work)
            throws X, InterruptedException {
        try {
            return callWithAttempt(options, work);
        } catch (CallInterruptedException e) {
            Thread.interrupted();
            InterruptedException interrupt = new InterruptedException(e.getMessage());
            interrupt.initCause(e.getCause());
            throw interrupt;
        }
    }

    @Override
    public <T> RetryOutcome<T> outcomeWithAttempt(CallOptions options, BlockingAttempt<T, ?> work) {
        Objects.requireNonNull(options, "options");
        Objects.requireNonNull(work, "work");
        try {
            return blocking.execute(retrier.getSetup(), options, true, work);
        } catch (CancellationException e) {
            throw e;
        } catch (Throwable e) {
            // A clock that threw before the call began. All else is in the outcome, but an attempt's own interrupt.
            if (!(e instanceof InterruptedException)) throw Throwables.<RuntimeException>rethrow(e);
            Thread.currentThread().interrupt();
            throw new CallInterruptedException(e);
        }
    }

    @Override
    public <T> CompletableFuture<T> callAsyncWithAttempt(CallOptions options, AsyncAttempt<T> work) {
        return async.execute(retrier.getSetup(), options, false, work);
    }

    @Override
    public <T> CompletableFuture<T> callAsyncWithAttempt(
            CallOptions options, BlockingAttempt<T, ? extends Exception> work, Executor executor) {
        return async.on(executor).execute(retrier.getSetup(), options, false, onExecutor(work, executor));
    }

    @Override
    public <T> CompletableFuture<RetryOutcome<T>> outcomeAsyncWithAttempt(CallOptions options, AsyncAttempt<T> work) {
        return async.execute(retrier.getSetup(), options, true, work);
    }

    @Override
    public <T> CompletableFuture<RetryOutcome<T>> outcomeAsyncWithAttempt(
            CallOptions options, BlockingAttempt<T, ? extends Exception> work, Executor executor) {
        return async.on(executor).execute(retrier.getSetup(), options, true, onExecutor(work, executor));
    }

    private static <T> OnExecutor<T> onExecutor(BlockingAttempt<T, ? extends Exception> work, Executor executor) {
        return new OnExecutor<>(Objects.requireNonNull(work, "work"), Objects.requireNonNull(executor, "executor"));
    }

    @Override
    public Retrier retrier() {
        return retrier;
    }

    @Override
    public JavaWaiter waiter() {
        return async.waiter();
    }

    @Override
    public JavaRetrier with(RetryPolicy policy) {
        return new SharedRetrier(retrier.with(policy), blocking, async);
    }

    @Override
    public JavaRetrier with(DeadlineSource deadlines) {
        return new SharedRetrier(retrier.with(deadlines), blocking, async);
    }

    @Override
    public JavaRetrier with(RetryListener listener) {
        return new SharedRetrier(retrier.with(listener), blocking, async);
    }

    @Override
    public String toString() {
        return "Java" + retrier;
    }
}
