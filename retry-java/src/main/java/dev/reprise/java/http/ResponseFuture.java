package dev.reprise.java.http;

import java.util.concurrent.CompletableFuture;

/**
 * The future of a response that is on its way. Whoever completes it from outside, by {@code cancel}, {@code orTimeout}
 * or anything else, stops what it comes from; so does {@code cancel(true)} of a future that is derived from it, as with
 * the futures of the JDK's client.
 */
final class ResponseFuture<T> extends CompletableFuture<T> {
    private volatile Runnable stop = () -> {};

    /** From now on {@code stop} is what a completion from outside runs; at once if there was one already. */
    void stoppedBy(Runnable stop) {
        this.stop = stop;
        if (isDone()) stop.run();
    }

    /** What was on its way is there. Returns whether it was wanted. */
    boolean arrives(T value) {
        return super.complete(value);
    }

    /** What was on its way failed. */
    void fails(Throwable failure) {
        super.completeExceptionally(failure);
    }

    @Override
    public boolean complete(T value) {
        return stopped(super.complete(value));
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        return stopped(super.completeExceptionally(failure));
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean isFirst = !isDone();
        boolean isCancelled = super.cancel(mayInterruptIfRunning);
        if (isFirst) stopped(isCancelled);
        return isCancelled;
    }

    @Override
    public void obtrudeValue(T value) {
        super.obtrudeValue(value);
        stop.run();
    }

    @Override
    public void obtrudeException(Throwable failure) {
        super.obtrudeException(failure);
        stop.run();
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new Derived<>(this);
    }

    private boolean stopped(boolean isChanged) {
        if (isChanged) stop.run();
        return isChanged;
    }

    /** A future derived from {@code origin}, however far. */
    private static final class Derived<U> extends CompletableFuture<U> {
        private final ResponseFuture<?> origin;

        Derived(ResponseFuture<?> origin) {
            this.origin = origin;
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean isCancelled = super.cancel(mayInterruptIfRunning);
            if (isCancelled && mayInterruptIfRunning) origin.cancel(true);
            return isCancelled;
        }

        @Override
        public <V> CompletableFuture<V> newIncompleteFuture() {
            return new Derived<>(origin);
        }
    }
}
