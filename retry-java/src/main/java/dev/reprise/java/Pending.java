package dev.reprise.java;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.BiFunction;

/**
 * A stage that an asynchronous call has under way: that of an attempt, or of a place in the line for send permits. It
 * is over once, with the first outcome that comes, and then resumes the call. What comes later is given back.
 */
abstract class Pending<T> extends CompletableFuture<T> implements BiFunction<T, Throwable, Void> {
    final AsyncCall<?, ?> call;
    private volatile CompletionStage<T> stage;

    Pending(AsyncCall<?, ?> call) {
        this.call = call;
    }

    /** It is over when {@code stage} is. */
    final void endWith(CompletionStage<T> stage) {
        this.stage = stage;
        // The limit fired, or the call was cancelled, before there was a stage to cancel.
        if (isDone()) cancelStage();
        stage.handle(this);
    }

    /** It is over, with the outcome of its stage. */
    abstract void hasEnded();

    /** It was over when its stage came to {@code result}. */
    abstract void giveBack(T result);

    /** The stage ends. */
    @Override
    public final Void apply(T result, Throwable failure) {
        boolean isFirst =
                failure == null ? complete(result) : completeExceptionally(Throwables.withoutWrappers(failure));
        if (isFirst) hasEnded();
        else if (failure == null) giveBack(result);
        return null;
    }

    /** Ends it, unless it has ended, since the call is not to go on. Returns whether this was in time. */
    boolean abandon() {
        if (!completeExceptionally(new CancellationException())) return false;
        cancelStage();
        return true;
    }

    final void cancelStage() {
        if (!(stage instanceof Future<?> future)) return;
        try {
            future.cancel(true);
        } catch (Throwable e) {
            // A stage that only its maker may complete, or whose cancel is broken: what it gives later is given back.
        }
    }
}
