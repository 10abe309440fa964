package dev.reprise.java;

import dev.reprise.core.AttemptTimeoutException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One thing that an asynchronous call has under way: an attempt, a delay, or the wait for a send permit. It is over
 * once, with the first outcome that comes; what comes later is nobody's.
 */
final class Pending<T> {
    enum Kind {
        START,
        ATTEMPT,
        DELAY,
        PERMIT
    }

    /** What it ended with: a result that may be null, or a failure. */
    record Outcome(Object result, Throwable failure) {
        static final Outcome NOTHING = new Outcome(null, null);
    }

    final Kind kind;
    private final AsyncLoop<T, ?> loop;
    private final AtomicReference<Outcome> outcome = new AtomicReference<>();
    private volatile CompletionStage<?> stage;
    private volatile Runnable timer;

    Pending(Kind kind, AsyncLoop<T, ?> loop) {
        this.kind = kind;
        this.loop = loop;
    }

    /** What it ended with, or null while it is under way. */
    Outcome outcome() {
        return outcome.get();
    }

    /** It ends here and now, unless it has ended: answers which. */
    boolean end(Object result, Throwable failure) {
        if (!outcome.compareAndSet(null, new Outcome(result, failure))) return false;
        stopTimer();
        loop.resume();
        return true;
    }

    /** It ends when {@code stage} does. */
    void endWith(CompletionStage<T> stage) {
        this.stage = stage;
        // Timed out or called off meanwhile, by someone who did not see the stage yet.
        if (outcome.get() != null) cancelStage();
        stage.handle((result, failure) -> {
            if (!end(result, failure) && failure == null) loop.discard(result);
            return null;
        });
    }

    /** A delay ends after {@code nanos} ns. */
    void endAfter(long nanos, JavaWaiter waiter) {
        timer = waiter.after(nanos, () -> {
            if (outcome.compareAndSet(null, Outcome.NOTHING)) loop.resumeElsewhere();
        });
    }

    /** A permit is there, or refused, when {@code permit} says so. */
    void endWithPermit(CompletionStage<Long> permit) {
        stage = permit;
        permit.handle((waited, failure) -> {
            if (outcome.compareAndSet(null, new Outcome(waited, failure))) loop.resumeElsewhere();
            return null;
        });
    }

    /** An attempt with this {@code number} may take {@code nanos} ns and no longer. */
    void limit(int number, long nanos, JavaWaiter waiter) {
        timer = waiter.after(nanos, () -> {
            Outcome late = new Outcome(null, new AttemptTimeoutException(number, nanos));
            if (outcome.compareAndSet(null, late)) loop.resumeAfter(this::cancelStage);
        });
    }

    /** Nobody wants the outcome any more. */
    void callOff() {
        outcome.compareAndSet(null, Outcome.NOTHING);
        stopTimer();
        cancelStage();
    }

    private void stopTimer() {
        Runnable stop = timer;
        if (stop != null) stop.run();
    }

    private void cancelStage() {
        if (!(stage instanceof Future<?> future)) return;
        try {
            future.cancel(true);
        } catch (UnsupportedOperationException e) {
            // A stage that only its maker may complete.
        }
    }
}
