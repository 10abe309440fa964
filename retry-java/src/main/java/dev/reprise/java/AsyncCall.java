package dev.reprise.java;

import static dev.reprise.core.time.NanosKt.UNLIMITED_NANOS;

import dev.reprise.core.Attempt;
import dev.reprise.core.AttemptTimeoutException;
import dev.reprise.core.RetryOutcome;
import dev.reprise.core.call.NextStep;
import dev.reprise.core.call.RetryCall;
import dev.reprise.coroutines.RetrierSetup;
import dev.reprise.coroutines.SendRateLines;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * An asynchronous call that has something {@link Pending}: the future that its caller holds, and what {@link AsyncLoop}
 * needs to go on. Cancelling the future, or completing it in any other way, ends the call.
 */
final class AsyncCall<T, R> extends TurnTaking<R> {
    final AsyncLoop loop;
    final RetrierSetup setup;
    final AsyncAttempt<T> work;
    private final boolean asOutcome;

    // Of the thread whose turn it is.
    RetryCall call;
    Pending<?> pending;
    private boolean hasEnded;

    /** What keeps the call from going on, found outside of its turn. */
    private volatile Throwable broken;

    /** The future of a call that the loop runs now: the first turn is its maker's. */
    AsyncCall(AsyncLoop loop, RetrierSetup setup, boolean asOutcome, AsyncAttempt<T> work) {
        this.loop = loop;
        this.setup = setup;
        this.asOutcome = asOutcome;
        this.work = work;
    }

    @Override
    void takeTurn() {
        if (!hasEnded) loop.goOn(this);
    }

    /** Resumes on the executor: the thread that says so is not one to run users' code on. */
    void resumeElsewhere() {
        run(this::resume, loop.executor());
    }

    /** Cancels an attempt that has timed out, then resumes as {@link #resumeElsewhere} does. */
    void resumeAfter(Runnable cancellation) {
        Runnable both = () -> {
            cancellation.run();
            resumeElsewhere();
        };
        run(both, loop.canceller());
    }

    /** Runs {@code task}; an executor that refuses it ends the call, on the common pool. */
    private void run(Runnable task, Executor executor) {
        try {
            executor.execute(task);
        } catch (Throwable e) {
            broken = e;
            AsyncLoop.POOL.execute(this::resume);
        }
    }

    /**
     * Begins what {@code call} wants: a wait, a place in the line, or an attempt, which may have been started already.
     */
    Pending<?> begin(RetryCall call, Attempt attempt, CompletionStage<T> stage) {
        if (attempt != null) return begin(attempt, stage);
        if (call.getNext() == NextStep.WAIT) {
            Pending<Void> wait = new Pending<>(this);
            wait.startTimer(call.getDelayNanos(), loop.waiter());
            return wait;
        }
        Pending<Long> permit = new Pending<>(this);
        permit.endWith(SendRateLines.acquireAsync(setup.getLine(), call));
        return permit;
    }

    private Pending<T> begin(Attempt attempt, CompletionStage<T> stage) {
        long limit = stage == null ? attempt.getTimeLeftNanos() : UNLIMITED_NANOS;
        Pending<T> pending = new Pending<>(this, attempt.getNumber(), limit);
        if (limit == 0) {
            pending.completeExceptionally(new AttemptTimeoutException(attempt.getNumber(), limit));
            return pending;
        }
        if (limit != UNLIMITED_NANOS) pending.startTimer(limit, loop.waiter());
        pending.endWith(stage == null ? AsyncLoop.start(work, attempt) : stage);
        return pending;
    }

    /** Throws what keeps the call from going on, if there is such a thing. */
    void checkWanted() throws Throwable {
        Throwable interference = interference();
        if (interference != null) throw interference;
    }

    /**
     * Whether {@code call} has to wait for {@code step}, or else that has ended, now or meanwhile. Ends it, and throws
     * why, if the call is not to go on.
     */
    boolean mustWait(RetryCall call, CompletableFuture<?> step) throws Throwable {
        if (step.isDone()) return false;
        this.call = call;
        pending = (Pending<?>) step;
        Throwable interference = interference();
        if (interference == null) return true;
        if (pending.abandon()) throw interference;
        return false;
    }

    /**
     * What keeps the call from going on: its future was completed from outside, or an executor refused it. Else null.
     */
    private Throwable interference() {
        return isDone() ? new CancellationException("the future was completed from outside") : broken;
    }

    /** The call {@code ended}. If its caller has completed the future already, its result is discarded. */
    void ends(RetryCall ended, R result, Throwable failure) {
        hasEnded = true;
        // The future may be kept for long; what it took to get there need not be.
        call = null;
        pending = null;
        Executor completion = loop.completion();
        if (completion == null) {
            deliver(ended, result, failure);
            return;
        }
        try {
            completion.execute(() -> deliver(ended, result, failure));
        } catch (Throwable e) {
            // Not here: this may be the timer's thread, or one of the line's, and dependents are users' code.
            AsyncLoop.POOL.execute(() -> deliver(ended, result, failure));
        }
    }

    @SuppressWarnings("unchecked")
    private void deliver(RetryCall ended, R result, Throwable failure) {
        boolean isDelivered = failure == null ? arrives(result) : fails(failure);
        if (isDelivered) return;
        if (failure != null) giveBackBadResult(ended.outcome());
        else if (!asOutcome) giveBack(result, false);
        else if (result instanceof RetryOutcome.Success<?> success) giveBack(success.getValue(), false);
        else giveBackBadResult((RetryOutcome<?>) result);
    }

    /** The caller would have had the result in what {@code outcome} throws, or in {@code outcome} itself. */
    private void giveBackBadResult(RetryOutcome<?> outcome) {
        if (outcome instanceof RetryOutcome.BadResult<?> bad) giveBack(bad.getValue(), false);
    }

    /** Discards a result that came too late; one that {@code isWait} is the answer of the line, and may be a permit. */
    @SuppressWarnings("unchecked")
    void giveBack(Object result, boolean isWait) {
        if (!isWait) Throwables.discard(work, (T) result, null);
        else if (result instanceof Long waited) SendRateLines.giveBack(setup.getLine(), waited);
    }
}
