package dev.reprise.java;

import static dev.reprise.core.shell.time.NanosKt.UNLIMITED_NANOS;

import dev.reprise.core.Attempt;
import dev.reprise.core.AttemptTimeoutException;
import dev.reprise.core.shell.call.HedgeRace;
import dev.reprise.core.shell.call.ServedRequest;
import dev.reprise.core.shell.layers.Moments;
import dev.reprise.core.shell.layers.ThreadScope;
import dev.reprise.coroutines.shell.FutureWaits;
import dev.reprise.coroutines.shell.StepEnd;
import dev.reprise.java.internal.Elsewhere;
import dev.reprise.java.internal.Timers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * An attempt of a blocking call that has a limit, and a first one that may have a copy. It runs on the thread that
 * makes the call, as without a hedge; only the copy is a task of the executor, and pays for itself when a thread has
 * taken it. So no call waits for a thread. A copy that wins cuts the first execution as an attempt timeout does.
 */
final class BlockingRace<T, X extends Throwable> {
    private final Rivals<T> rivals;
    private final long delayNanos;
    private final Attempt attempt;
    private final BlockingAttempt<T, X> work;
    private final JavaWaiter waiter;
    private final Executor executor;
    private final ServedRequest served = ServedRequest.current();

    private final AttemptGuard guard = new AttemptGuard();
    private volatile Copy copy;

    /** The end by the limit of the attempt. */
    private final StepEnd<T> limitFired = new StepEnd<>(null, null);

    /** Done when the race is over. */
    private final CompletableFuture<Void> over = new CompletableFuture<>();

    BlockingRace(HedgeRace race, Attempt attempt, BlockingAttempt<T, X> work, JavaWaiter waiter, Executor executor) {
        rivals = new Rivals<>(race);
        delayNanos = race == null ? UNLIMITED_NANOS : race.getDelayNanos();
        this.attempt = attempt;
        this.work = work;
        this.waiter = waiter;
        this.executor = executor;
    }

    /** Makes the attempt, for no longer than {@code limit}. If that fires, the work's reaction to it is ignored. */
    T make(long limit) throws X {
        if (limit == 0) throw timeout();
        Runnable limitTimer =
                limit == UNLIMITED_NANOS ? null : Elsewhere.after(waiter, Duration.ofNanos(limit), this::timesOut);
        Runnable delay = null;
        try {
            try {
                if (delayNanos != UNLIMITED_NANOS)
                    delay = waiter.after(Duration.ofNanos(delayNanos), this::asksForCopy);
            } catch (Throwable e) {
                // A user's timer. No copy. The call goes on without.
            }
            return first();
        } finally {
            Timers.stop(delay);
            Timers.stop(limitTimer);
            rivals.close(null);
            Copy copy = this.copy;
            if (copy != null) copy.cancel();
            for (T lost : rivals.lost()) Throwables.discard(work, lost, null);
        }
    }

    private T first() throws X {
        T result = null;
        Throwable failure = null;
        long from = Moments.now();
        try {
            result = work.make(attempt);
        } catch (Throwable e) {
            failure = e;
        }
        boolean wasCut = guard.end();
        boolean isForeign = failure instanceof InterruptedException && (!wasCut || guard.isForeign());
        Rivals.Meaning meaning = rivals.endsWith(false, new StepEnd<>(result, failure), ThreadScope.blocking(from));
        if (meaning == Rivals.Meaning.WAITS) awaitCopy(failure);
        // The caller is gone, whoever has won.
        if (isForeign) throw Throwables.<X>rethrow(failure);
        StepEnd<T> outcome = rivals.outcome();
        AttemptTimeoutException timeout = outcome == limitFired ? timeout() : null;
        if (meaning == Rivals.Meaning.LATE && failure == null) Throwables.discard(work, result, timeout);
        if (timeout != null) {
            if (failure != null && !(failure instanceof InterruptedException)) timeout.addSuppressed(failure);
            throw timeout;
        }
        if (outcome.failure != null) throw Throwables.<X>rethrow(outcome.failure);
        return outcome.value;
    }

    /** Waits for the copy, which runs; the first execution failed with {@code failure}, or is null for a bad result. */
    private void awaitCopy(Throwable failure) {
        try {
            FutureWaits.park(over);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            // A race that had ended in that moment keeps its end.
            if (rivals.close(null)) throw new CallInterruptedException(failure == null ? e : failure);
        }
    }

    private AttemptTimeoutException timeout() {
        return new AttemptTimeoutException(attempt.getNumber(), attempt.getLimitNanos());
    }

    /** The limit fires. */
    private void timesOut() {
        if (rivals.close(limitFired)) isOver();
    }

    /** The race is over: ends the first execution if it runs, and its wait for the copy. */
    private void isOver() {
        if (guard.interrupt() && delayNanos != UNLIMITED_NANOS) work.cut(attempt);
        over.complete(null);
    }

    private void asksForCopy() {
        Runnable ask = () -> {
            try {
                executor.execute(this::copies);
            } catch (Throwable e) {
                // No copy. The call goes on without.
            }
        };
        if (waiter == JavaWaiter.SYSTEM) Elsewhere.attempts().execute(ask);
        else ask.run();
    }

    private void copies() {
        Attempt second = rivals.copyStarts();
        if (second == null) return;
        Copy copy = new Copy(second);
        this.copy = copy;
        copy.run();
    }

    private final class Copy {
        private final Attempt attempt;
        private final AttemptGuard guard = new AttemptGuard();

        Copy(Attempt attempt) {
            this.attempt = attempt;
        }

        void run() {
            // What ends the race either finds this, or is found here.
            boolean isWanted = !rivals.isOver();
            T result = null;
            Throwable failure = null;
            long from = Moments.now();
            try {
                if (isWanted) result = Throwables.serving(served, () -> work.make(attempt));
            } catch (Throwable e) {
                failure = e;
            }
            guard.endsWith(failure);
            if (!isWanted) return;
            switch (rivals.endsWith(true, new StepEnd<>(result, failure), ThreadScope.blocking(from))) {
                case DECIDES -> isOver();
                case LATE -> {
                    if (failure == null) Throwables.discard(work, result, null);
                }
                case WAITS -> {}
            }
        }

        void cancel() {
            if (guard.interrupt()) work.cut(attempt);
        }
    }
}
