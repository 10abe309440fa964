package dev.reprise.java.http;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

/** A future that cancels what it comes from. */
final class LinkedFuture<T> extends CompletableFuture<T> {
    private final Future<?> source;

    LinkedFuture(Future<?> source) {
        this.source = source;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean isCancelled = super.cancel(mayInterruptIfRunning);
        if (isCancelled) source.cancel(mayInterruptIfRunning);
        return isCancelled;
    }
}
