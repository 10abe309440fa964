package dev.reprise.java;

import dev.reprise.core.Attempt;
import dev.reprise.core.RetryOutcome;
import dev.reprise.core.call.RetryCall;
import dev.reprise.coroutines.RetrierSetup;
import dev.reprise.coroutines.SendRateLine;
import dev.reprise.coroutines.SendRateLines;
import dev.reprise.java.internal.Timers;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * An asynchronous call that has to wait for something: the future that its caller holds, and what {@link AsyncLoop}
 * needs to go on. Cancelling the future, or completing it in any other way, ends the call. A call that waits between
 * attempts is itself what the timer runs.
 */
final class AsyncCall<T, R> extends TurnTaking<R> implements Runnable {
    final AsyncLoop loop;
    final AsyncAttempt<T> work;
    private final boolean asOutcome;

    // Of the thread whose turn it is.
    RetryCall call;
    /** What the call waits for: something {@link Pending}, or the handle of a timer. */
    private Object awaited;

    private boolean hasEnded;

    private volatile boolean isWaitOver;

    /** What keeps the call from going on, found outside of its turn. */
    private volatile Throwable broken;

    /** The future of a call that the loop runs now: the first turn is its maker's. */
    AsyncCall(AsyncLoop loop, boolean asOutcome, AsyncAttempt<T> work) {
        this.loop = loop;
        this.asOutcome = asOutcome;
        this.work = work;
    }

    @Override
    void takeTurn() {
        if (!hasEnded) loop.goOn(this);
    }

    /** The wait is over. */
    @Override
    public void run() {
        isWaitOver = true;
        resumeElsewhere();
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

    /** Begins what {@code call} wants: a place in the line, or an attempt, which may have been started already. */
    Pending<?> begin(RetryCall call, Attempt attempt, CompletionStage<T> stage) {
        if (stage != null) return new PendingAttempt<>(this, stage);
        if (attempt != null) return new PendingAttempt<>(this, attempt);
        SendRateLine line = ((RetrierSetup) call.getSetup()).getLine();
        PendingPermit permit = new PendingPermit(this, line);
        permit.endWith(SendRateLines.acquireAsync(line, call));
        return permit;
    }

    /** Throws what keeps the call from going on, if there is such a thing. */
    void checkWanted() throws Throwable {
        Throwable interference = interference();
        if (interference != null) throw interference;
    }

    /** What the call has under way, or null if it waits between two attempts. */
    Pending<?> pending() {
        return awaited instanceof Pending<?> pending ? pending : null;
    }

    /**
     * Whether {@code call} has to wait for {@code step}, or else that has ended, now or meanwhile. Ends it, and throws
     * why, if the call is not to go on.
     */
    boolean mustAwait(RetryCall call, CompletableFuture<?> step) throws Throwable {
        awaited = null;
        if (step.isDone()) return false;
        this.call = call;
        Throwable interference = interference();
        if (interference == null) {
            awaited = step;
            return true;
        }
        if (((Pending<?>) step).abandon()) throw interference;
        return false;
    }

    /**
     * Whether the wait of {@code call} is not over yet; reports it if it is. The wait begins when this is asked first.
     * It ends early, and why is thrown, if the call is not to go on.
     */
    boolean mustWait(RetryCall call) throws Throwable {
        this.call = call;
        if (awaited == null) {
            checkWanted();
            isWaitOver = false;
            awaited = loop.waiter().after(Duration.ofNanos(call.getDelayNanos()), this);
        }
        if (!isWaitOver) {
            Throwable interference = interference();
            if (interference == null) return true;
            Timers.stop((Runnable) awaited);
            awaited = null;
            throw interference;
        }
        awaited = null;
        call.waited();
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
        awaited = null;
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

    private void deliver(RetryCall ended, R result, Throwable failure) {
        boolean isDelivered = failure == null ? arrives(result) : fails(failure);
        if (isDelivered) return;
        if (failure != null) giveBackBadResult(ended.outcome());
        else if (!asOutcome) giveBack(result);
        else if (result instanceof RetryOutcome.Success<?> success) giveBack(success.getValue());
        else giveBackBadResult((RetryOutcome<?>) result);
    }

    /** The caller would have had the result in what {@code outcome} throws, or in {@code outcome} itself. */
    private void giveBackBadResult(RetryOutcome<?> outcome) {
        if (outcome instanceof RetryOutcome.BadResult<?> bad) giveBack(bad.getValue());
    }

    @SuppressWarnings("unchecked")
    private void giveBack(Object result) {
        Throwables.discard(work, (T) result, null);
    }
}
