package dev.reprise.java;

import static dev.reprise.core.time.NanosKt.UNLIMITED_NANOS;

import dev.reprise.core.Attempt;
import dev.reprise.core.AttemptTimeoutException;
import dev.reprise.java.internal.Timers;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** An attempt that has not ended yet: ends with the outcome of its stage, or when its limit fires. */
final class PendingAttempt<T> extends Pending<T> implements Runnable {
    private final AsyncAttempt<T> work;
    private final int number;
    private final long limitNanos;
    private volatile Runnable timer;

    /** An attempt that was started already, with its {@code stage}, and may take as long as it likes. */
    PendingAttempt(AsyncCall<T, ?> call, CompletionStage<T> stage) {
        super(call);
        work = call.work;
        number = 0;
        limitNanos = UNLIMITED_NANOS;
        endWith(stage);
    }

    /** Starts {@code attempt}, which may take as long as it says. */
    PendingAttempt(AsyncCall<T, ?> call, Attempt attempt) {
        super(call);
        work = call.work;
        number = attempt.getNumber();
        limitNanos = attempt.getTimeLeftNanos();
        if (limitNanos == 0) {
            completeExceptionally(new AttemptTimeoutException(number, limitNanos));
            return;
        }
        if (limitNanos != UNLIMITED_NANOS) startTimer(call.loop.waiter());
        endWith(AsyncLoop.start(work, attempt));
    }

    private void startTimer(JavaWaiter waiter) {
        timer = waiter.after(Duration.ofNanos(limitNanos), this);
        if (isDone()) Timers.stop(timer);
    }

    /** The limit fires. */
    @Override
    public void run() {
        if (completeExceptionally(new AttemptTimeoutException(number, limitNanos))) {
            call.resumeAfter(this::cancelStage);
        }
    }

    @Override
    void hasEnded() {
        Timers.stop(timer);
        call.resume();
    }

    @Override
    void giveBack(T result) {
        Throwables.discard(work, result, null);
    }

    @Override
    boolean abandon() {
        if (!super.abandon()) return false;
        Timers.stop(timer);
        return true;
    }
}
