package dev.reprise.java;

import dev.reprise.core.AttemptTimeoutException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.BiFunction;

/**
 * The one thing that an asynchronous call has under way: an attempt, a wait, or a place in the line for send permits.
 * It is over once, with the first outcome that comes, and then resumes the call. What comes later is given back.
 */
final class Pending<T> extends CompletableFuture<T> implements Runnable, BiFunction<T, Throwable, Void> {
    private final AsyncCall<?, ?> call;
    private final int attempt;
    private final long limitNanos;
    private volatile CompletionStage<T> stage;
    private volatile Runnable timer;

    /** A wait, or a place in the line. */
    Pending(AsyncCall<?, ?> call) {
        this(call, 0, 0);
    }

    /** The attempt of this number, which may take {@code limitNanos}. */
    Pending(AsyncCall<?, ?> call, int attempt, long limitNanos) {
        this.call = call;
        this.attempt = attempt;
        this.limitNanos = limitNanos;
    }

    /** The wait is over, or the attempt's limit fires, in {@code nanos} ns. */
    void startTimer(long nanos, JavaWaiter waiter) {
        timer = waiter.after(Duration.ofNanos(nanos), this);
        if (isDone()) stopTimer();
    }

    /** It is over when {@code stage} is. */
    void endWith(CompletionStage<T> stage) {
        this.stage = stage;
        // The limit fired, or the call was cancelled, before there was a stage to cancel.
        if (isDone()) cancelStage();
        stage.handle(this);
    }

    /** The timer fires. */
    @Override
    public void run() {
        if (attempt == 0) {
            if (complete(null)) call.resumeElsewhere();
        } else if (completeExceptionally(new AttemptTimeoutException(attempt, limitNanos))) {
            call.resumeAfter(this::cancelStage);
        }
    }

    /** The stage ends. */
    @Override
    public Void apply(T result, Throwable failure) {
        boolean isFirst =
                failure == null ? complete(result) : completeExceptionally(Throwables.withoutWrappers(failure));
        if (isFirst) {
            stopTimer();
            if (attempt == 0) call.resumeElsewhere();
            else call.resume();
        } else if (failure == null) {
            call.giveBack(result, attempt == 0);
        }
        return null;
    }

    /** Ends it, unless it has ended, since the call is not to go on. Returns whether this was in time. */
    boolean abandon() {
        if (!completeExceptionally(new CancellationException())) return false;
        stopTimer();
        cancelStage();
        return true;
    }

    private void stopTimer() {
        Runnable stop = timer;
        if (stop == null) return;
        try {
            stop.run();
        } catch (Throwable e) {
            // A waiter of the user's. What the timer would do finds that this is over.
        }
    }

    private void cancelStage() {
        if (!(stage instanceof Future<?> future)) return;
        try {
            future.cancel(true);
        } catch (Throwable e) {
            // A stage that only its maker may complete, or whose cancel is broken: what it gives later is given back.
        }
    }
}
