package dev.reprise.java;

import dev.reprise.core.RetryOutcome;
import dev.reprise.core.shell.call.NoResult;
import java.util.Objects;

/**
 * The calls of a {@link JavaRetrier} that run on the caller's thread, in every form: with a result or without, with or
 * without the {@link dev.reprise.core.Attempt}, throwing or returning an outcome. For options, see
 * {@link JavaRetrier#withOptions}.
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
        return callWithAttempt(work);
    }

    /**
     * {@link #call(ThrowingSupplier)} of work that wants to know which attempt it is.
     *
     * @throws X the last attempt's own exception
     */
    <T, X extends Throwable> T callWithAttempt(BlockingAttempt<T, X> work) throws X;

    /**
     * As {@link #call(ThrowingSupplier)}, but throws {@link InterruptedException} in place of
     * {@code CancellationException}.
     *
     * @throws X the last attempt's own exception
     * @throws InterruptedException when the thread is interrupted in a wait, or at the end of an attempt that was to be
     *     repeated; the interrupt flag is cleared then
     */
    default <T, X extends Throwable> T callInterruptibly(ThrowingSupplier<T, X> work) throws X, InterruptedException {
        return callInterruptiblyWithAttempt(work);
    }

    /**
     * As {@link #callInterruptibly(ThrowingSupplier)}, for work that needs its attempt.
     *
     * @throws X the last attempt's own exception
     * @throws InterruptedException when the thread is interrupted in a wait, or at the end of an attempt that was to be
     *     repeated; the interrupt flag is cleared then
     */
    <T, X extends Throwable> T callInterruptiblyWithAttempt(BlockingAttempt<T, X> work) throws X, InterruptedException;

    /**
     * {@link #call(ThrowingSupplier)} of work without a result: there is none to judge.
     *
     * @throws X the last attempt's own exception
     */
    default <X extends Throwable> void run(ThrowingRunnable<X> work) throws X {
        Objects.requireNonNull(work, "work");
        runWithAttempt(attempt -> work.run());
    }

    /**
     * {@link #run(ThrowingRunnable)} of work that wants to know which attempt it is.
     *
     * @throws X the last attempt's own exception
     */
    default <X extends Throwable> void runWithAttempt(RunnableAttempt<X> work) throws X {
        Objects.requireNonNull(work, "work");
        this.<Object, X>callWithAttempt(attempt -> {
            work.run(attempt);
            return NoResult.INSTANCE;
        });
    }

    /**
     * Runs {@code work} like {@link #call(ThrowingSupplier)} and returns how the call ended instead of throwing. Only
     * interruption and cancellation are still thrown, as {@code CancellationException}.
     */
    default <T> RetryOutcome<T> outcome(ThrowingSupplier<T, ?> work) {
        return outcomeWithAttempt(work);
    }

    /** {@link #outcome(ThrowingSupplier)} of work that wants to know which attempt it is. */
    <T> RetryOutcome<T> outcomeWithAttempt(BlockingAttempt<T, ?> work);
}
