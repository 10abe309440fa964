package dev.reprise.java;

import dev.reprise.core.RetryOutcome;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The calls of a {@link JavaRetrier} that return a future, in every form: with work that returns a stage or that an
 * executor runs, with or without the {@link dev.reprise.core.Attempt}, failing or completing with an outcome. For
 * options, see {@link JavaRetrier#withOptions}.
 */
public interface AsyncCalls {
    /**
     * Runs {@code work} until it succeeds or the policy gives up, and holds no thread while it waits. Cancel the future
     * to end the call. If the first attempt's stage has already succeeded, it is returned itself.
     *
     * <p>Work starts something and returns its stage. An attempt timeout cancels that stage. Work that blocks its
     * thread before it returns is not ended by that, which is logged once, though its attempt is; on the caller's
     * thread the call goes on when it returns. A stage that comes too late has timed out too.
     */
    default <T> CompletableFuture<T> callAsync(StageSupplier<T> work) {
        return callAsyncWithAttempt(work);
    }

    /** {@link #callAsync(StageSupplier)} of work that wants to know which attempt it is. */
    <T> CompletableFuture<T> callAsyncWithAttempt(AsyncAttempt<T> work);

    /**
     * Runs {@code work} on {@code executor} until it succeeds or the policy gives up. Every attempt runs there and the
     * future completes there; between attempts no thread of it is held. Cancelling the future, or an attempt timeout,
     * interrupts an attempt that runs.
     *
     * <p>An executor that runs tasks on the thread that submits them, such as {@code Runnable::run}, runs the first
     * attempt on the caller's thread, which gets its future after that, and one that follows a wait on a daemon thread
     * of the library's. If an executor drops tasks in silence, only a limit ends the call.
     */
    default <T> CompletableFuture<T> callAsync(Callable<T> work, Executor executor) {
        Objects.requireNonNull(work, "work");
        return callAsyncWithAttempt(attempt -> work.call(), executor);
    }

    /** {@link #callAsync(Callable, Executor)} of work that wants to know which attempt it is. */
    <T> CompletableFuture<T> callAsyncWithAttempt(BlockingAttempt<T, ? extends Exception> work, Executor executor);

    /**
     * {@link #callAsync(StageSupplier)} whose future completes with how the call ended, and fails only by cancellation.
     */
    default <T> CompletableFuture<RetryOutcome<T>> outcomeAsync(StageSupplier<T> work) {
        return outcomeAsyncWithAttempt(work);
    }

    /** {@link #outcomeAsync(StageSupplier)} of work that wants to know which attempt it is. */
    <T> CompletableFuture<RetryOutcome<T>> outcomeAsyncWithAttempt(AsyncAttempt<T> work);

    /**
     * {@link #outcomeAsync(StageSupplier)} of work that {@code executor} runs, as {@link #callAsync(Callable,
     * Executor)} says.
     */
    default <T> CompletableFuture<RetryOutcome<T>> outcomeAsync(Callable<T> work, Executor executor) {
        Objects.requireNonNull(work, "work");
        return outcomeAsyncWithAttempt(attempt -> work.call(), executor);
    }

    /** {@link #outcomeAsync(Callable, Executor)} of work that wants to know which attempt it is. */
    <T> CompletableFuture<RetryOutcome<T>> outcomeAsyncWithAttempt(
            BlockingAttempt<T, ? extends Exception> work, Executor executor);
}
