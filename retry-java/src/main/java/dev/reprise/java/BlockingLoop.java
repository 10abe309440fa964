package dev.reprise.java;

import static dev.reprise.core.shell.time.NanosKt.UNLIMITED_NANOS;

import dev.reprise.core.Attempt;
import dev.reprise.core.CallOptions;
import dev.reprise.core.shell.call.HedgeRace;
import dev.reprise.core.shell.call.NextStep;
import dev.reprise.core.shell.call.ResultKind;
import dev.reprise.core.shell.call.RetryCall;
import dev.reprise.core.shell.layers.AttemptScope;
import dev.reprise.core.shell.layers.Moments;
import dev.reprise.core.shell.layers.ThreadScope;
import dev.reprise.coroutines.RetrierSetup;
import dev.reprise.coroutines.shell.SendRateLines;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * The blocking shell: makes the attempts of a call on the thread that makes the call. {@code docs/research/shells.md}
 * shows it beside the others.
 *
 * <p>The loop is below 325 bytes, so that it is inlined, with the work, into its caller: the row of a blocking success
 * in the benchmarks.
 *
 * <p>An attempt that has a limit, or may have a copy, is a {@link BlockingRace}, on this thread too. Without an
 * executor there is none.
 *
 * <p>No monitor and no lock is held while an attempt or a wait is under way.
 */
final class BlockingLoop {
    final JavaWaiter waiter;
    final Executor hedgeExecutor;

    BlockingLoop(JavaWaiter waiter, Executor hedgeExecutor) {
        this.waiter = waiter;
        this.hedgeExecutor = hedgeExecutor;
    }

    /** Runs one call: does what it wants next, and reports back, until it is done. */
    @SuppressWarnings("unchecked")
    <T, R, X extends Throwable> R execute(
            RetrierSetup setup, CallOptions options, boolean asOutcome, BlockingAttempt<T, X> work) throws X {
        ResultKind kind = work.releasesBeforeWait() ? ResultKind.CONNECTION : ResultKind.CLOSEABLE;
        RetryCall call = setup.begin(options, kind, asOutcome);
        while (call.getNext() != NextStep.DONE) {
            try {
                if (call.getNext() != NextStep.ATTEMPT) {
                    stepBetween(setup, call, work);
                    continue;
                }
                T result = null;
                Throwable failure = null;
                long from = Moments.now();
                try {
                    result = attempt(call, work);
                } catch (Throwable e) {
                    failure = e;
                }
                if (failure == null) {
                    RetryCall next = call.completed(result, null, scope(call, result, from));
                    if (next == null) return (R) result;
                    call = next;
                } else {
                    call = call.failed(failure, Throwables.meaningOf(failure), null, scope(call, failure, from));
                }
                endIfInterrupted(call, failure);
            } catch (Throwable e) {
                call = call.broke(e instanceof InterruptedException ? interrupted(e) : e);
            }
        }
        call.madeIn(ThreadScope.BLOCKING);
        Throwable failure = call.failure();
        if (failure != null) throw Throwables.<X>rethrow(failure);
        return (R) call.value();
    }

    /**
     * Waits, takes a send permit, or discards a result, and reports it. A call in such a step has its own object, and
     * keeps it.
     */
    @SuppressWarnings("unchecked")
    private <T> void stepBetween(RetrierSetup setup, RetryCall call, Discarding<T> work) throws InterruptedException {
        switch (call.getNext()) {
            case WAIT -> {
                waiter.await(Duration.ofNanos(call.getDelayNanos()));
                call.waited();
            }
            case PERMIT -> SendRateLines.acquireBlocking(setup.getLine(), call);
            case REPEAT -> call.repeats(work.mayRepeat());
            case DISCARD -> {
                work.discard((T) call.rejected());
                call.discarded();
            }
            default -> throw new AssertionError(call);
        }
    }

    private static AttemptScope scope(RetryCall call, Object outcome, long from) {
        return call.isMarked(outcome) ? ThreadScope.blocking(from) : null;
    }

    private static void endIfInterrupted(RetryCall call, Throwable failure) {
        if (call.getNext() != NextStep.DONE && Thread.currentThread().isInterrupted()) {
            throw new CallInterruptedException(failure);
        }
    }

    /** An interrupt that ended a wait, and took the thread's flag with it. An attempt's own went to the call. */
    private static CallInterruptedException interrupted(Throwable cause) {
        Thread.currentThread().interrupt();
        return new CallInterruptedException(cause);
    }

    /**
     * One attempt of {@code call}, for no longer than its policy lets it. If the limit fires, the attempt fails with
     * that; the work's reaction to it is ignored.
     */
    private <T, X extends Throwable> T attempt(RetryCall call, BlockingAttempt<T, X> work) throws X {
        Attempt attempt = call.attemptStarts();
        HedgeRace race = hedgeExecutor == null ? null : call.race();
        if (race != null && !work.mayRunTwice()) race = null;
        long limit = attempt.getTimeLeftNanos();
        if (race == null && limit == UNLIMITED_NANOS) return work.make(attempt);
        return new BlockingRace<>(race, attempt, work, waiter, hedgeExecutor).make(limit);
    }
}
