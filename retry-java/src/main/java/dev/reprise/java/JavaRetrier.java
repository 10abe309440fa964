package dev.reprise.java;

import dev.reprise.core.CallOptions;
import dev.reprise.core.RetryListener;
import dev.reprise.core.RetryOutcome;
import dev.reprise.core.RetryPolicy;
import dev.reprise.coroutines.Retrier;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Retries calls, blocking or asynchronous. It holds a policy with the quota and the send rate that all its calls share:
 * make one for each client or destination, and keep it.
 *
 * <pre>{@code
 * JavaRetrier retrier = JavaRetrier.of(RetryPolicy.STANDARD);
 * User user = retrier.call(() -> client.fetch(id));
 * CompletableFuture<User> later = retrier.callAsync(() -> client.fetchAsync(id));
 * }</pre>
 *
 * <p><b>What a call gives.</b> The first result that the policy accepts. If none is, the last attempt's own exception,
 * with its own type and one suppressed {@link dev.reprise.core.RetryTrace}; a result that was never accepted is
 * returned as it is unless the policy says throw. A first attempt that succeeds costs nothing: no lock, no object, no
 * look at the clock, unless the policy has a timeout or a send rate, or somebody listens.
 *
 * <p><b>Blocking calls</b> run on the caller's thread, platform or virtual, and park it between attempts. Interruption
 * ends a call at once, in an attempt or between two, and is never retried: see {@link #call} and
 * {@link #callInterruptibly}.
 *
 * <p><b>Asynchronous calls</b> hold no thread while they wait. Their future always completes: also when an attempt
 * cannot be started, gives a {@code null} stage, or a classifier throws. A
 * {@link java.util.concurrent.CompletionException} around a failure is looked through and not passed on. Cancelling the
 * future, or completing it in any other way, cancels the attempt in flight and ends the wait. The first attempt starts
 * on the caller's thread; one that follows a wait, on the {@linkplain JavaRetrierBuilder#executor executor}; one that
 * follows no wait, on the thread that ended the one before.
 *
 * <p>An attempt that takes longer than the policy's attempt timeout is interrupted, or its future cancelled, and counts
 * as a transient {@link dev.reprise.core.AttemptTimeoutException}. The interrupt reaches the attempt alone.
 *
 * <p>Safe for any number of threads. The names say Java because a Kotlin user's {@link Retrier} can be shared with it.
 */
public final class JavaRetrier {
    private final Retrier retrier;
    private final JavaWaiter waiter;
    private final Executor executor;
    private final BlockingLoop blocking;
    private final AsyncSettings async;

    JavaRetrier(Retrier retrier, JavaWaiter waiter, Executor executor) {
        this.retrier = retrier;
        this.waiter = waiter;
        this.executor = executor;
        blocking = new BlockingLoop(retrier, waiter);
        async = AsyncSettings.of(retrier, waiter, executor);
    }

    /** A retrier of {@code policy} with a full quota of its own. */
    public static JavaRetrier of(RetryPolicy policy) {
        return builder().policy(policy).build();
    }

    /** A retrier for Java that shares policy, quota, send rate and listeners with {@code retrier}. */
    public static JavaRetrier sharing(Retrier retrier) {
        return new JavaRetrier(retrier, JavaWaiter.SYSTEM, null);
    }

    /**
     * {@link #sharing(Retrier)} with a time of its own; for tests and simulations. The wait for a send permit is that
     * of {@code retrier}; {@code executor} is as {@link JavaRetrierBuilder#executor} says.
     */
    public static JavaRetrier sharing(Retrier retrier, JavaWaiter waiter, Executor executor) {
        return new JavaRetrier(retrier, Objects.requireNonNull(waiter, "waiter"), executor);
    }

    /** A builder of a retrier of {@link RetryPolicy#STANDARD}. */
    public static JavaRetrierBuilder builder() {
        return new JavaRetrierBuilder();
    }

    /**
     * Runs {@code work} until it succeeds or the policy gives up, on this thread.
     *
     * <p>When the thread is interrupted in a wait, or at the end of an attempt that was to be repeated, the call ends
     * with a {@link java.util.concurrent.CancellationException} and the thread's interrupt flag is set. An attempt that
     * throws {@link InterruptedException}, or that {@code CancellationException}, ends the call with it.
     *
     * @throws X the last attempt's own exception
     */
    public <T, X extends Throwable> T call(ThrowingSupplier<T, X> work) throws X {
        return blocking.call(CallOptions.DEFAULT, work);
    }

    /**
     * {@link #call(ThrowingSupplier)} of work that wants to know which attempt it is.
     *
     * @throws X the last attempt's own exception
     */
    public <T, X extends Throwable> T call(BlockingAttempt<T, X> work) throws X {
        return blocking.call(CallOptions.DEFAULT, work);
    }

    /**
     * {@link #call(ThrowingSupplier)} with options.
     *
     * @throws X the last attempt's own exception
     */
    public <T, X extends Throwable> T call(CallOptions options, ThrowingSupplier<T, X> work) throws X {
        return blocking.call(options, work);
    }

    /**
     * {@link #call(ThrowingSupplier)} with options, of work that wants to know which attempt it is.
     *
     * @throws X the last attempt's own exception
     */
    public <T, X extends Throwable> T call(CallOptions options, BlockingAttempt<T, X> work) throws X {
        return blocking.call(options, work);
    }

    /**
     * {@link #call(ThrowingSupplier)} that says {@link InterruptedException} where that says
     * {@code CancellationException}.
     *
     * @throws X the last attempt's own exception
     * @throws InterruptedException when the thread is interrupted in a wait, or at the end of an attempt that was to be
     *     repeated; the interrupt flag is cleared then
     */
    public <T, X extends Throwable> T callInterruptibly(ThrowingSupplier<T, X> work) throws X, InterruptedException {
        return callInterruptibly(CallOptions.DEFAULT, work);
    }

    /**
     * {@link #callInterruptibly(ThrowingSupplier)} with options, of work that wants to know which attempt it is.
     *
     * @throws X the last attempt's own exception
     * @throws InterruptedException when the thread is interrupted in a wait, or at the end of an attempt that was to be
     *     repeated; the interrupt flag is cleared then
     */
    public <T, X extends Throwable> T callInterruptibly(CallOptions options, BlockingAttempt<T, X> work)
            throws X, InterruptedException {
        return blocking.callInterruptibly(options, work);
    }

    /**
     * {@link #call(ThrowingSupplier)} of work without a result.
     *
     * @throws X the last attempt's own exception
     */
    public <X extends Throwable> void run(ThrowingRunnable<X> work) throws X {
        run(CallOptions.DEFAULT, work);
    }

    /**
     * {@link #call(ThrowingSupplier)} with options, of work without a result.
     *
     * @throws X the last attempt's own exception
     */
    public <X extends Throwable> void run(CallOptions options, ThrowingRunnable<X> work) throws X {
        blocking.<Void, X>call(options, attempt -> {
            work.run();
            return null;
        });
    }

    /**
     * Runs {@code work} like {@link #call(ThrowingSupplier)} and answers how the call ended instead of throwing. Only
     * interruption and cancellation are thrown all the same, as {@code CancellationException}.
     */
    public <T> RetryOutcome<T> outcome(ThrowingSupplier<T, ?> work) {
        return outcome(CallOptions.DEFAULT, work);
    }

    /** {@link #outcome(ThrowingSupplier)} with options, of work that wants to know which attempt it is. */
    public <T> RetryOutcome<T> outcome(CallOptions options, BlockingAttempt<T, ?> work) {
        return blocking.outcome(options, work);
    }

    /**
     * Runs {@code work} until it succeeds or the policy gives up, and holds no thread while it waits. Cancel the future
     * to end the call. A first attempt that has succeeded when it comes back is handed on as it is.
     */
    public <T> CompletableFuture<T> callAsync(StageSupplier<T> work) {
        return callAsync(CallOptions.DEFAULT, work);
    }

    /** {@link #callAsync(StageSupplier)} of work that wants to know which attempt it is. */
    public <T> CompletableFuture<T> callAsync(AsyncAttempt<T> work) {
        return callAsync(CallOptions.DEFAULT, work);
    }

    /** {@link #callAsync(StageSupplier)} with options. */
    public <T> CompletableFuture<T> callAsync(CallOptions options, StageSupplier<T> work) {
        return async.call(options, work);
    }

    /** {@link #callAsync(StageSupplier)} with options, of work that wants to know which attempt it is. */
    public <T> CompletableFuture<T> callAsync(CallOptions options, AsyncAttempt<T> work) {
        return async.call(options, work);
    }

    /**
     * Runs {@code work} on {@code executor} until it succeeds or the policy gives up. Every attempt runs there and the
     * future completes there; between attempts no thread of it is held. Cancelling the future interrupts an attempt
     * that runs.
     */
    public <T> CompletableFuture<T> callAsync(Callable<T> work, Executor executor) {
        return callAsync(CallOptions.DEFAULT, attempt -> work.call(), executor);
    }

    /** {@link #callAsync(Callable, Executor)} with options, of work that wants to know which attempt it is. */
    public <T> CompletableFuture<T> callAsync(
            CallOptions options, BlockingAttempt<T, ? extends Exception> work, Executor executor) {
        return async.on(executor).call(options, new OnExecutor<>(work, executor));
    }

    /**
     * {@link #callAsync(StageSupplier)} whose future completes with how the call ended, and fails only by cancellation.
     */
    public <T> CompletableFuture<RetryOutcome<T>> outcomeAsync(StageSupplier<T> work) {
        return outcomeAsync(CallOptions.DEFAULT, work);
    }

    /** {@link #outcomeAsync(StageSupplier)} with options, of work that wants to know which attempt it is. */
    public <T> CompletableFuture<RetryOutcome<T>> outcomeAsync(CallOptions options, AsyncAttempt<T> work) {
        return async.outcome(options, work);
    }

    /** The retrier to share with Kotlin callers; it also shows policy, quota and send rate. */
    public Retrier retrier() {
        return retrier;
    }

    /** The policy of calls that begin now. */
    public RetryPolicy policy() {
        return retrier.getPolicy();
    }

    /**
     * Replaces the policy for calls that begin from now on, of this retrier and of all that share it; calls in flight
     * keep theirs. Quota and send rate live on.
     */
    public void update(RetryPolicy policy) {
        retrier.update(policy);
    }

    /** A retrier of {@code policy} that shares all else with this one. */
    public JavaRetrier with(RetryPolicy policy) {
        return new JavaRetrier(retrier.with(policy), waiter, executor);
    }

    /** A retrier that tells {@code listener} as well, and shares all else with this one. */
    public JavaRetrier with(RetryListener listener) {
        return new JavaRetrier(retrier.with(listener), waiter, executor);
    }

    @Override
    public String toString() {
        return "Java" + retrier;
    }
}
