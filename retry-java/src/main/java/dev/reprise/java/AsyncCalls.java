package dev.reprise.java;

import dev.reprise.core.CallOptions;
import dev.reprise.core.RetryOutcome;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The calls of a {@link JavaRetrier} that give a future, in every form: of work that gives a stage or that an executor
 * runs, with options, of work that wants its {@link dev.reprise.core.Attempt}, failing or telling an outcome.
 */
public interface AsyncCalls {
    /**
     * Runs {@code work} until it succeeds or the policy gives up, and holds no thread while it waits. Cancel the future
     * to end the call. The stage of a first attempt that has already succeeded is returned as it is.
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
}
