package dev.reprise.java;

import dev.reprise.core.CallOptions;
import dev.reprise.core.RetryOutcome;

/**
 * The calls of a {@link JavaRetrier} that run on the caller's thread, in every form: with a result or without, with
 * options, of work that wants its {@link dev.reprise.core.Attempt}, thrown or told as an outcome.
 */
public interface BlockingCalls {
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
     * interruption and cancellation are still thrown, as {@code CancellationException}.
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
}
