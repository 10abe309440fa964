package dev.reprise.java;

import dev.reprise.java.internal.Timers;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/**
 * A step that a {@link FutureCall} waits for: an attempt, a place in the line for send permits, or the time before the
 * next attempt. It ends once, with its stage, by its timer or by its call, and then resumes its call, unless that ended
 * it. {@code onLate} gets a result of the stage that comes after the end.
 */
class Pending<V> extends CompletableFuture<V> implements BiFunction<V, Throwable, Void> {
    private final FutureCall<?, ?> call;
    private final Consumer<? super V> onLate;
    private volatile CompletionStage<V> stage;
    private volatile Runnable timer;

    Pending(FutureCall<?, ?> call, Consumer<? super V> onLate) {
        this.call = call;
        this.onLate = onLate;
    }

    /** Runs {@code task} after {@code nanos}, unless the step ends first. */
    void after(long nanos, JavaWaiter waiter, Runnable task) {
        timer = waiter.after(Duration.ofNanos(nanos), task);
        if (isDone()) Timers.stop(timer);
    }

    /** Ends the step when {@code stage} ends. A step that has ended already cancels the stage. */
    void endWith(CompletionStage<V> stage) {
        this.stage = stage;
        if (isDone()) cancelStage();
        stage.handle(this);
    }

    /** Ends the step with {@code result}, or with {@code failure} unless that is null. */
    @Override
    public Void apply(V result, Throwable failure) {
        ends(result, failure, false);
        return null;
    }

    /** {@link #apply} on the executor. */
    final void endElsewhere(V result, Throwable failure) {
        call.elsewhere(() -> ends(result, failure, true));
    }

    /** {@link #apply} on the executor; if that refuses, the step does not end. */
    final void endElsewhereIfTaken(V result, Throwable failure) {
        call.offer(() -> ends(result, failure, true));
    }

    private void ends(V result, Throwable failure, boolean isElsewhere) {
        boolean isFirst = failure == null ? complete(result) : completeExceptionally(own(failure));
        if (isFirst) {
            Timers.stop(timer);
            resume(isElsewhere);
        } else if (failure == null) {
            onLate.accept(result);
        }
    }

    /** The step has ended: its call goes on. {@code isElsewhere} tells whether this is the executor. */
    void resume(boolean isElsewhere) {
        call.resume(isElsewhere);
    }

    /** {@code failure} without the wrappers of futures. An attempt on an executor has seen to them. */
    private Throwable own(Throwable failure) {
        return isOnExecutor() ? failure : Throwables.withoutWrappers(failure);
    }

    /** Stops the timer, if there is one: the step has ended. */
    void stopTimer() {
        Timers.stop(timer);
    }

    /** Takes the step further, in a turn of its call. */
    void progress() {}

    /** Whether only a turn of the executor may go on with this step; asked in a turn. */
    boolean goesOnElsewhere() {
        return false;
    }

    /**
     * The executor refused the turn that {@link #goesOnElsewhere}. Returns whether the step goes on without. In a turn.
     */
    boolean goesOnWithout() {
        return false;
    }

    /** Releases the resources of the step, in a turn of its call, once it has ended. */
    void close() {}

    /** Ends the step, since its call does not go on. Returns false if it has ended before. */
    boolean abandon() {
        if (!completeExceptionally(new CancellationException())) return false;
        Timers.stop(timer);
        cancelStage();
        close();
        return true;
    }

    /** The stage, if it is an attempt that an executor runs for the call; else null. */
    ExecutorAttempt<V> task() {
        return stage instanceof ExecutorAttempt<V> task ? task : null;
    }

    /** Whether an executor runs the stage for its call, so that to cancel it is no more than an interrupt. */
    boolean isOnExecutor() {
        return task() != null;
    }

    /** Cancels the stage, if there is one and it can be cancelled. */
    void cancelStage() {
        if (!(stage instanceof Future<?> future)) return;
        try {
            future.cancel(true);
        } catch (Throwable e) {
            // A stage that only its maker may complete, or whose cancel is broken: onLate gets its result.
        }
    }
}
