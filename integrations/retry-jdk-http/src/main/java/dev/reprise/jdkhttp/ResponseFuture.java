package dev.reprise.jdkhttp;

import dev.reprise.java.internal.EndableFuture;
import dev.reprise.java.internal.HttpFaces;
import java.net.http.HttpTimeoutException;
import java.util.concurrent.CompletableFuture;

/**
 * The future of a response. Completing it from outside stops the operation behind it; so does {@code cancel(true)} of a
 * derived future, as with the futures of the JDK's client.
 */
final class ResponseFuture<T> extends EndableFuture<T> {
    private volatile Runnable stop = () -> {};

    /** From now on a completion from outside runs {@code stop}; at once if there was one already. */
    void stoppedBy(Runnable stop) {
        this.stop = stop;
        if (isDone()) stop.run();
    }

    @Override
    public boolean fails(Throwable failure) {
        return super.fails(HttpFaces.asIo(failure, HttpTimeoutException::new));
    }

    @Override
    protected void endedFromOutside() {
        stop.run();
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new Derived<>(this);
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
