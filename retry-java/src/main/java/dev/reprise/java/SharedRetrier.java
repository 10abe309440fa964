package dev.reprise.java;

import dev.reprise.core.CallOptions;
import dev.reprise.core.DeadlineSource;
import dev.reprise.core.RetryListener;
import dev.reprise.core.RetryOutcome;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.shell.values.Policies;
import dev.reprise.coroutines.Retrier;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** The Java face of a {@link Retrier}: makes each call, with its options, by the blocking or the asynchronous loop. */
final class SharedRetrier implements JavaRetrier {
    private static final String NO_HEDGE_EXECUTOR =
            "a policy has a hedge, and a blocking call sends no copies without JavaRetrierBuilder.hedgeExecutor";

    private final Retrier retrier;
    private final CallOptions options;
    private final BlockingLoop blocking;
    private final AsyncSettings async;

    SharedRetrier(Retrier retrier, JavaWaiter waiter, Executor executor, Executor hedgeExecutor) {
        this(
                retrier,
                CallOptions.DEFAULT,
                new BlockingLoop(Objects.requireNonNull(waiter, "waiter"), hedgeExecutor),
                new AsyncSettings(waiter, executor));
    }

    private SharedRetrier(Retrier retrier, CallOptions options, BlockingLoop blocking, AsyncSettings async) {
        this.retrier = Objects.requireNonNull(retrier, "retrier");
        this.options = options;
        this.blocking = blocking;
        this.async = async;
    }

    @Override
    public <T, X extends Throwable> T callWithAttempt(BlockingAttempt<T, X> work) throws X {
        return blocking(work, false);
    }

    /** Without an executor a blocking call sends no copy, which is logged once. */
    private <T, R, X extends Throwable> R blocking(BlockingAttempt<T, X> work, boolean asOutcome) throws X {
        Objects.requireNonNull(work, "work");
        if (blocking.hedgeExecutor == null && policy().getHedge() != null && work.mayRunTwice())
            retrier.getSetup().warn(NO_HEDGE_EXECUTOR);
        return blocking.execute(retrier.getSetup(), options, asOutcome, work);
    }

    @Override
    public <T, X extends Throwable> T callInterruptiblyWithAttempt(BlockingAttempt<T, X> work)
            throws X, InterruptedException {
        try {
            return callWithAttempt(work);
        } catch (CallInterruptedException e) {
            Thread.interrupted();
            InterruptedException interrupt = new InterruptedException(e.getMessage());
            interrupt.initCause(e.getCause());
            throw interrupt;
        }
    }

    @Override
    public <T> RetryOutcome<T> outcomeWithAttempt(BlockingAttempt<T, ?> work) {
        try {
            return blocking(work, true);
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
    public <T> CompletableFuture<T> callAsyncWithAttempt(AsyncAttempt<T> work) {
        return future(work, false);
    }

    @Override
    public <T> CompletableFuture<T> callAsyncWithAttempt(
            BlockingAttempt<T, ? extends Exception> work, Executor executor) {
        return future(work, executor, false);
    }

    @Override
    public <T> CompletableFuture<RetryOutcome<T>> outcomeAsyncWithAttempt(AsyncAttempt<T> work) {
        return future(work, true);
    }

    @Override
    public <T> CompletableFuture<RetryOutcome<T>> outcomeAsyncWithAttempt(
            BlockingAttempt<T, ? extends Exception> work, Executor executor) {
        return future(work, executor, true);
    }

    private <T, R> CompletableFuture<R> future(AsyncAttempt<T> work, boolean asOutcome) {
        Objects.requireNonNull(work, "work");
        return FutureCall.start(async, retrier.getSetup(), options, asOutcome, work, null);
    }

    private <T, R> CompletableFuture<R> future(BlockingAttempt<T, ?> work, Executor executor, boolean asOutcome) {
        Objects.requireNonNull(work, "work");
        Objects.requireNonNull(executor, "executor");
        return FutureCall.start(async, retrier.getSetup(), options, asOutcome, work, executor);
    }

    @Override
    public Retrier retrier() {
        return retrier;
    }

    @Override
    public JavaWaiter waiter() {
        return async.waiter;
    }

    @Override
    public CallOptions options() {
        return options;
    }

    @Override
    public JavaRetrier withOptions(CallOptions options) {
        CallOptions over = Policies.over(Objects.requireNonNull(options, "options"), this.options);
        return new SharedRetrier(retrier, over, blocking, async);
    }

    @Override
    public JavaRetrier with(RetryPolicy policy) {
        return with(retrier.with(policy));
    }

    @Override
    public JavaRetrier with(DeadlineSource deadlines) {
        return with(retrier.with(deadlines));
    }

    @Override
    public JavaRetrier with(RetryListener listener) {
        return with(retrier.with(listener));
    }

    private JavaRetrier with(Retrier retrier) {
        return new SharedRetrier(retrier, options, blocking, async);
    }

    @Override
    public String toString() {
        return "Java" + retrier + (options == CallOptions.DEFAULT ? "" : " with " + options);
    }
}
