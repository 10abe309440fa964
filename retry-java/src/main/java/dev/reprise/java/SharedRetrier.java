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
    /** Where futures go on that name no executor of their own; null if the user named none. */
    final Executor executor;

    SharedRetrier(Retrier retrier, JavaWaiter waiter, Executor executor, Executor hedgeExecutor) {
        this(
                Objects.requireNonNull(retrier, "retrier"),
                CallOptions.DEFAULT,
                new BlockingLoop(Objects.requireNonNull(waiter, "waiter"), hedgeExecutor),
                executor);
    }

    private SharedRetrier(Retrier retrier, CallOptions options, BlockingLoop blocking, Executor executor) {
        this.retrier = retrier;
        this.options = options;
        this.blocking = blocking;
        this.executor = executor;
    }

    /** Whether time is real. Where a program simulates it, limits and waits end on the program's own threads. */
    boolean isReal() {
        return blocking.waiter == JavaWaiter.SYSTEM;
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
        return future(work, null, false);
    }

    @Override
    public <T> CompletableFuture<T> callAsyncWithAttempt(
            BlockingAttempt<T, ? extends Exception> work, Executor executor) {
        return future(work, Objects.requireNonNull(executor, "executor"), false);
    }

    @Override
    public <T> CompletableFuture<RetryOutcome<T>> outcomeAsyncWithAttempt(AsyncAttempt<T> work) {
        return future(work, null, true);
    }

    @Override
    public <T> CompletableFuture<RetryOutcome<T>> outcomeAsyncWithAttempt(
            BlockingAttempt<T, ? extends Exception> work, Executor executor) {
        return future(work, Objects.requireNonNull(executor, "executor"), true);
    }

    private <T, R> CompletableFuture<R> future(Discarding<T> work, Executor executor, boolean asOutcome) {
        Objects.requireNonNull(work, "work");
        return FutureCall.start(this, options, asOutcome, work, executor);
    }

    @Override
    public Retrier retrier() {
        return retrier;
    }

    @Override
    public JavaWaiter waiter() {
        return blocking.waiter;
    }

    @Override
    public CallOptions options() {
        return options;
    }

    @Override
    public JavaRetrier withOptions(CallOptions options) {
        CallOptions over = Policies.over(Objects.requireNonNull(options, "options"), this.options);
        return new SharedRetrier(retrier, over, blocking, executor);
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
        return new SharedRetrier(retrier, options, blocking, executor);
    }

    @Override
    public String toString() {
        return "Java" + retrier + (options == CallOptions.DEFAULT ? "" : " with " + options);
    }
}
