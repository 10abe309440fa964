package dev.reprise.java;

import static dev.reprise.core.backoff.NanosKt.UNLIMITED_NANOS;

import dev.reprise.core.AttemptTimeoutException;
import dev.reprise.core.CallOptions;
import dev.reprise.core.CallSetup;
import dev.reprise.core.RetryCall;
import dev.reprise.core.RetryOutcome;
import dev.reprise.coroutines.CallSteps;
import dev.reprise.coroutines.Retrier;
import dev.reprise.coroutines.SendRateLines;

/**
 * The blocking shell: runs calls on the thread that makes them. {@link #execute} is the loop in full, with the steps of
 * the suspend shell in the same order; they follow it here.
 *
 * <p>No monitor and no lock is held while an attempt or a wait is under way.
 */
final class BlockingLoop {
    private final Retrier retrier;
    private final JavaWaiter waiter;

    BlockingLoop(Retrier retrier, JavaWaiter waiter) {
        this.retrier = retrier;
        this.waiter = waiter;
    }

    /** Runs {@code work} as the policy says. A first attempt that succeeds builds nothing, unless somebody looks on. */
    <T, X extends Throwable> T call(CallOptions options, BlockingAttempt<T, X> work) throws X {
        CallSteps steps = retrier.steps(options);
        RetryCall watched = steps.begin();
        if (watched != null) return execute(steps, watched, work).result();
        long sentAt = steps.sendTime(null);
        T result = null;
        Throwable failure = null;
        try {
            result = work.make(steps.getSetup().getFirstAttempt());
        } catch (Throwable e) {
            failure = e;
        }
        if (failure == null && steps.accepts(result, sentAt)) return result;
        RetryCall call = new RetryCall(steps.getSetup(), options, sentAt);
        judge(call, result, failure, work);
        return execute(steps, call, work).result();
    }

    /** {@link #call}, and an interrupt as an {@link InterruptedException}. */
    <T, X extends Throwable> T callInterruptibly(CallOptions options, BlockingAttempt<T, X> work)
            throws X, InterruptedException {
        try {
            return call(options, work);
        } catch (CallInterruptedException e) {
            Thread.interrupted();
            InterruptedException interrupt = new InterruptedException(e.getMessage());
            interrupt.initCause(e.getCause());
            throw interrupt;
        }
    }

    /** Runs {@code work}, and answers how the call ended. */
    <T> RetryOutcome<T> outcome(CallOptions options, BlockingAttempt<T, ?> work) {
        CallSteps steps = retrier.steps(options);
        RetryCall call = Steps.start(steps.getSetup(), options);
        try {
            return execute(steps, call, work).outcome();
        } catch (Throwable e) {
            if (e instanceof InterruptedException) throw interrupted(call, e);
            throw Steps.<RuntimeException>rethrow(e);
        }
    }

    /** Runs one call to its end. Answers the ended call; throws only cancellation. */
    <T, X extends Throwable> RetryCall execute(CallSteps steps, RetryCall call, BlockingAttempt<T, X> work) throws X {
        while (true) {
            if (steps.mustWait(call)) await(call);
            if (call.isOver()) return call;
            call.attemptStarts();
            T result = null;
            Throwable failure = null;
            try {
                result = attempt(call, work);
            } catch (Throwable e) {
                failure = e;
            }
            judge(call, result, failure, work);
        }
    }

    /** Waits the backoff, then for a send permit. An interrupt is told to the call and goes on. */
    private void await(RetryCall call) {
        try {
            if (call.getDelayNanos() > 0) {
                waiter.await(call.getDelayNanos());
                if (!Steps.mustQueue(retrier, call)) return;
            }
            CallSetup setup = call.getSetup();
            Steps.queued(
                    call,
                    SendRateLines.acquireBlocking(
                            retrier.getLine(), setup.getPolicy().getOnNoPermit(), call.getDeadlineAt()));
        } catch (InterruptedException e) {
            throw interrupted(call, e);
        }
    }

    /** One attempt, for no longer than the policy lets it. Only a timeout that was set here becomes a failure. */
    private <T, X extends Throwable> T attempt(RetryCall call, BlockingAttempt<T, X> work) throws X {
        long limit = call.getTimeLeftNanos();
        if (limit == UNLIMITED_NANOS) return work.make(call);
        if (limit == 0) throw new AttemptTimeoutException(call.getNumber(), limit);
        AttemptGuard guard = new AttemptGuard();
        Runnable callOff = waiter.after(limit, guard::interrupt);
        T result = null;
        Throwable failure = null;
        try {
            result = work.make(call);
        } catch (Throwable e) {
            failure = e;
        }
        callOff.run();
        boolean isInTime = !guard.end();
        if (failure instanceof Error || failure instanceof InterruptedException && guard.wasUnnoticed())
            isInTime = true;
        if (isInTime && failure == null) return result;
        if (isInTime) throw Steps.<X>rethrow(failure);
        if (failure == null) work.discard(result);
        AttemptTimeoutException timeout = new AttemptTimeoutException(call.getNumber(), limit);
        if (failure != null && !(failure instanceof InterruptedException)) timeout.addSuppressed(failure);
        throw timeout;
    }

    /**
     * What the end of an attempt means: the call is over, or another attempt follows. Cancellation goes on at once; so
     * does everything once the thread is interrupted.
     */
    private <T, X extends Throwable> void judge(RetryCall call, T result, Throwable failure, BlockingAttempt<T, X> work)
            throws X {
        if (Steps.isCancellation(failure)) {
            call.cancelled();
            throw Steps.<X>rethrow(failure);
        }
        if (failure == null) call.completed(result);
        else call.failed(failure);
        if (call.isOver()) return;
        if (failure == null) work.discard(result);
        if (Thread.currentThread().isInterrupted()) throw interrupted(call, failure);
    }

    /** The call ends because its thread was interrupted, which it stays. */
    private static CallInterruptedException interrupted(RetryCall call, Throwable cause) {
        call.cancelled();
        Thread.currentThread().interrupt();
        return new CallInterruptedException("interrupted after " + call.getAttempts() + " attempts", cause);
    }
}
