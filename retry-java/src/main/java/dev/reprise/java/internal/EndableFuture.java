package dev.reprise.java.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * The future of an operation. Completing it from outside, by {@code cancel}, {@code orTimeout} or anything else, ends
 * the operation. The operation itself completes it by {@link #arrives} and {@link #fails}, which end nothing.
 */
public abstract class EndableFuture<T> extends CompletableFuture<T> {
    /** The future was completed from outside. Called on the thread that did so, once each time. */
    protected abstract void endedFromOutside();

    /** Completes the future with {@code value}. Returns whether that was in time. */
    public boolean arrives(T value) {
        return super.complete(value);
    }

    /** Completes the future with {@code failure}. Returns whether that was in time. */
    public boolean fails(Throwable failure) {
        return super.completeExceptionally(failure);
    }

    @Override
    public boolean complete(T value) {
        return ended(super.complete(value));
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        return ended(super.completeExceptionally(failure));
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean isFirst = !isDone();
        boolean isCancelled = super.cancel(mayInterruptIfRunning);
        if (isFirst) ended(isCancelled);
        return isCancelled;
    }

    @Override
    public CompletableFuture<T> completeAsync(Supplier<? extends T> supplier, Executor executor) {
        executor.execute(() -> {
            if (isDone()) return;
            try {
                complete(supplier.get());
            } catch (Throwable e) {
                completeExceptionally(e);
            }
        });
        return this;
    }

    @Override
    public void obtrudeValue(T value) {
        super.obtrudeValue(value);
        endedFromOutside();
    }

    @Override
    public void obtrudeException(Throwable failure) {
        super.obtrudeException(failure);
        endedFromOutside();
    }

    private boolean ended(boolean isChanged) {
        if (isChanged) endedFromOutside();
        return isChanged;
    }
}
