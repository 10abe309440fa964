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
 * <p>An interface, so that tests can put another one in its place. Safe for any number of threads. The names say Java
 * because a Kotlin user's {@link Retrier} can be shared with it.
 */
public interface JavaRetrier {
    /** A retrier of {@code policy} with a full quota of its own. */
    static JavaRetrier of(RetryPolicy policy) {
        return builder().policy(policy).build();
    }

    /** A retrier for Java that shares policy, quota, send rate and listeners with {@code retrier}. */
    static JavaRetrier sharing(Retrier retrier) {
        return sharing(retrier, JavaWaiter.SYSTEM, null);
    }

    /**
     * {@link #sharing(Retrier)} with a time of its own; for tests and simulations. The wait for a send permit is that
     * of {@code retrier}; {@code executor} is as {@link JavaRetrierBuilder#executor} says.
     */
    static JavaRetrier sharing(Retrier retrier, JavaWaiter waiter, Executor executor) {
        return new SharedRetrier(retrier, waiter, executor);
    }

    /** A builder of a retrier of {@link RetryPolicy#STANDARD}. */
    static JavaRetrierBuilder builder() {
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
    default <T, X extends Throwable> T call(ThrowingSupplier<T, X> work) throws X {
        return callWithAttempt(CallOptions.DEFAULT, work);
    }

    /**
     * {@link #call(ThrowingSupplier)} with options.
     *
     * @throws X the last attempt's own exception
     */
    default <T, X extends Throwable> T call(CallOptions options, ThrowingSupplier<T, X> work) throws X {
        return callWithAttempt(options, work);
    }

    /**
     * {@link #call(ThrowingSupplier)} of work that wants to know which attempt it is.
     *
     * @throws X the last attempt's own exception
     */
    default <T, X extends Throwable> T callWithAttempt(BlockingAttempt<T, X> work) throws X {
        return callWithAttempt(CallOptions.DEFAULT, work);
    }

    /**
     * {@link #callWithAttempt(BlockingAttempt)} with options.
     *
     * @throws X the last attempt's own exception
     */
    <T, X extends Throwable> T callWithAttempt(CallOptions options, BlockingAttempt<T, X> work) throws X;

    /**
     * {@link #call(ThrowingSupplier)} that says {@link InterruptedException} where that says
     * {@code CancellationException}.
     *
     * @throws X the last attempt's own exception
     * @throws InterruptedException when the thread is interrupted in a wait, or at the end of an attempt that was to be
     *     repeated; the interrupt flag is cleared then
     */
    default <T, X extends Throwable> T callInterruptibly(ThrowingSupplier<T, X> work) throws X, InterruptedException {
        return callInterruptiblyWithAttempt(CallOptions.DEFAULT, work);
    }

    /**
     * {@link #callInterruptibly(ThrowingSupplier)} with options.
     *
     * @throws X the last attempt's own exception
     * @throws InterruptedException when the thread is interrupted in a wait, or at the end of an attempt that was to be
     *     repeated; the interrupt flag is cleared then
     */
    default <T, X extends Throwable> T callInterruptibly(CallOptions options, ThrowingSupplier<T, X> work)
            throws X, InterruptedException {
        return callInterruptiblyWithAttempt(options, work);
    }

    /**
     * {@link #callInterruptibly(ThrowingSupplier)} of work that wants to know which attempt it is.
     *
     * @throws X the last attempt's own exception
     * @throws InterruptedException when the thread is interrupted in a wait, or at the end of an attempt that was to be
     *     repeated; the interrupt flag is cleared then
     */
    default <T, X extends Throwable> T callInterruptiblyWithAttempt(BlockingAttempt<T, X> work)
            throws X, InterruptedException {
        return callInterruptiblyWithAttempt(CallOptions.DEFAULT, work);
    }

    /**
     * {@link #callInterruptiblyWithAttempt(BlockingAttempt)} with options.
     *
     * @throws X the last attempt's own exception
     * @throws InterruptedException when the thread is interrupted in a wait, or at the end of an attempt that was to be
     *     repeated; the interrupt flag is cleared then
     */
    <T, X extends Throwable> T callInterruptiblyWithAttempt(CallOptions options, BlockingAttempt<T, X> work)
            throws X, InterruptedException;

    /**
     * {@link #call(ThrowingSupplier)} of work without a result.
     *
     * @throws X the last attempt's own exception
     */
    default <X extends Throwable> void run(ThrowingRunnable<X> work) throws X {
        run(CallOptions.DEFAULT, work);
    }

    /**
     * {@link #run(ThrowingRunnable)} with options.
     *
     * @throws X the last attempt's own exception
     */
    default <X extends Throwable> void run(CallOptions options, ThrowingRunnable<X> work) throws X {
        runWithAttempt(options, attempt -> work.run());
    }

    /**
     * {@link #run(ThrowingRunnable)} of work that wants to know which attempt it is.
     *
     * @throws X the last attempt's own exception
     */
    default <X extends Throwable> void runWithAttempt(RunnableAttempt<X> work) throws X {
        runWithAttempt(CallOptions.DEFAULT, work);
    }

    /**
     * {@link #runWithAttempt(RunnableAttempt)} with options.
     *
     * @throws X the last attempt's own exception
     */
    default <X extends Throwable> void runWithAttempt(CallOptions options, RunnableAttempt<X> work) throws X {
        this.<Void, X>callWithAttempt(options, attempt -> {
            work.run(attempt);
            return null;
        });
    }

    /**
     * Runs {@code work} like {@link #call(ThrowingSupplier)} and returns how the call ended instead of throwing. Only
     * interruption and cancellation are thrown all the same, as {@code CancellationException}.
     */
    default <T> RetryOutcome<T> outcome(ThrowingSupplier<T, ?> work) {
        return outcomeWithAttempt(CallOptions.DEFAULT, work);
    }

    /** {@link #outcome(ThrowingSupplier)} with options. */
    default <T> RetryOutcome<T> outcome(CallOptions options, ThrowingSupplier<T, ?> work) {
        return outcomeWithAttempt(options, work);
    }

    /** {@link #outcome(ThrowingSupplier)} of work that wants to know which attempt it is. */
    default <T> RetryOutcome<T> outcomeWithAttempt(BlockingAttempt<T, ?> work) {
        return outcomeWithAttempt(CallOptions.DEFAULT, work);
    }

    /** {@link #outcomeWithAttempt(BlockingAttempt)} with options. */
    <T> RetryOutcome<T> outcomeWithAttempt(CallOptions options, BlockingAttempt<T, ?> work);

    /**
     * Runs {@code work} until it succeeds or the policy gives up, and holds no thread while it waits. Cancel the future
     * to end the call. A first attempt that has succeeded when it comes back is handed on as it is.
     */
    default <T> CompletableFuture<T> callAsync(StageSupplier<T> work) {
        return callAsyncWithAttempt(CallOptions.DEFAULT, work);
    }

    /** {@link #callAsync(StageSupplier)} with options. */
    default <T> CompletableFuture<T> callAsync(CallOptions options, StageSupplier<T> work) {
        return callAsyncWithAttempt(options, work);
    }

    /** {@link #callAsync(StageSupplier)} of work that wants to know which attempt it is. */
    default <T> CompletableFuture<T> callAsyncWithAttempt(AsyncAttempt<T> work) {
        return callAsyncWithAttempt(CallOptions.DEFAULT, work);
    }

    /** {@link #callAsyncWithAttempt(AsyncAttempt)} with options. */
    <T> CompletableFuture<T> callAsyncWithAttempt(CallOptions options, AsyncAttempt<T> work);

    /**
     * Runs {@code work} on {@code executor} until it succeeds or the policy gives up. Every attempt runs there and the
     * future completes there; between attempts no thread of it is held. Cancelling the future interrupts an attempt
     * that runs. An executor that runs tasks in the thread that submits them cannot be interrupted by an attempt
     * timeout, and one that drops tasks in silence leaves the future incomplete.
     */
    default <T> CompletableFuture<T> callAsync(Callable<T> work, Executor executor) {
        return callAsync(CallOptions.DEFAULT, work, executor);
    }

    /** {@link #callAsync(Callable, Executor)} with options. */
    default <T> CompletableFuture<T> callAsync(CallOptions options, Callable<T> work, Executor executor) {
        Objects.requireNonNull(work, "work");
        return callAsyncWithAttempt(options, attempt -> work.call(), executor);
    }

    /** {@link #callAsync(Callable, Executor)} of work that wants to know which attempt it is. */
    default <T> CompletableFuture<T> callAsyncWithAttempt(
            BlockingAttempt<T, ? extends Exception> work, Executor executor) {
        return callAsyncWithAttempt(CallOptions.DEFAULT, work, executor);
    }

    /** {@link #callAsyncWithAttempt(BlockingAttempt, Executor)} with options. */
    <T> CompletableFuture<T> callAsyncWithAttempt(
            CallOptions options, BlockingAttempt<T, ? extends Exception> work, Executor executor);

    /**
     * {@link #callAsync(StageSupplier)} whose future completes with how the call ended, and fails only by cancellation.
     */
    default <T> CompletableFuture<RetryOutcome<T>> outcomeAsync(StageSupplier<T> work) {
        return outcomeAsyncWithAttempt(CallOptions.DEFAULT, work);
    }

    /** {@link #outcomeAsync(StageSupplier)} with options. */
    default <T> CompletableFuture<RetryOutcome<T>> outcomeAsync(CallOptions options, StageSupplier<T> work) {
        return outcomeAsyncWithAttempt(options, work);
    }

    /** {@link #outcomeAsync(StageSupplier)} of work that wants to know which attempt it is. */
    default <T> CompletableFuture<RetryOutcome<T>> outcomeAsyncWithAttempt(AsyncAttempt<T> work) {
        return outcomeAsyncWithAttempt(CallOptions.DEFAULT, work);
    }

    /** {@link #outcomeAsyncWithAttempt(AsyncAttempt)} with options. */
    <T> CompletableFuture<RetryOutcome<T>> outcomeAsyncWithAttempt(CallOptions options, AsyncAttempt<T> work);

    /**
     * {@link #outcomeAsync(StageSupplier)} of work that {@code executor} runs, as {@link #callAsync(Callable,
     * Executor)} says.
     */
    default <T> CompletableFuture<RetryOutcome<T>> outcomeAsync(Callable<T> work, Executor executor) {
        Objects.requireNonNull(work, "work");
        return outcomeAsyncWithAttempt(CallOptions.DEFAULT, attempt -> work.call(), executor);
    }

    /** {@link #outcomeAsync(Callable, Executor)} with options, of work that wants to know which attempt it is. */
    <T> CompletableFuture<RetryOutcome<T>> outcomeAsyncWithAttempt(
            CallOptions options, BlockingAttempt<T, ? extends Exception> work, Executor executor);

    /** The retrier to share with Kotlin callers; it also shows policy, quota and send rate. */
    Retrier retrier();

    /** The policy of calls that begin now. */
    default RetryPolicy policy() {
        return retrier().getPolicy();
    }

    /**
     * Replaces the policy for calls that begin from now on, of this retrier and of all that share it; calls in flight
     * keep theirs. Quota and send rate live on.
     */
    default void update(RetryPolicy policy) {
        retrier().update(policy);
    }

    /** A retrier of {@code policy} that shares all else with this one, as {@link Retrier#with(RetryPolicy)} says. */
    JavaRetrier with(RetryPolicy policy);

    /** A retrier that tells {@code listener} as well, and shares all else with this one. */
    JavaRetrier with(RetryListener listener);
}
