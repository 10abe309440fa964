package dev.reprise.jdkhttp;

import dev.reprise.java.internal.EndableFuture;
import dev.reprise.java.internal.HttpFaces;
import java.lang.ref.WeakReference;
import java.net.http.HttpTimeoutException;
import java.util.concurrent.CompletableFuture;

/**
 * The future of a response. Completing it from outside stops the operation behind it; so does {@code cancel(true)} of a
 * derived future, as with the futures of the JDK's client. Once the operation has ended, it keeps nothing of it.
 */
final class ResponseFuture<T> extends EndableFuture<T> {
    private static final Runnable NOTHING = () -> {};

    private volatile Runnable stop = NOTHING;

    /** From now on a completion from outside runs {@code stop}; at once if there was one already. */
    void stoppedBy(Runnable stop) {
        this.stop = stop;
        if (isDone()) endedFromOutside();
    }

    @Override
    public boolean arrives(T value) {
        return over(super.arrives(value));
    }

    @Override
    public boolean fails(Throwable failure) {
        return over(super.fails(HttpFaces.asIo(failure, HttpTimeoutException::new)));
    }

    @Override
    protected void endedFromOutside() {
        stop.run();
        over(true);
    }

    private boolean over(boolean isInTime) {
        stop = NOTHING;
        return isInTime;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new Derived<>(new WeakReference<>(this));
    }

    /** A future derived from a response's, however far. */
    private static final class Derived<U> extends CompletableFuture<U> {
        /** The operation under way keeps it. Once that has ended, this may be held for long, and keeps no response. */
        private final WeakReference<ResponseFuture<?>> origin;

        Derived(WeakReference<ResponseFuture<?>> origin) {
            this.origin = origin;
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean isCancelled = super.cancel(mayInterruptIfRunning);
            ResponseFuture<?> response = origin.get();
            if (isCancelled && mayInterruptIfRunning && response != null) response.cancel(true);
            return isCancelled;
        }

        @Override
        public <V> CompletableFuture<V> newIncompleteFuture() {
            return new Derived<>(origin);
        }
    }
}
