package dev.reprise.java;

import java.util.concurrent.CompletableFuture;

/**
 * What an asynchronous call answers. Whoever cancels it, or completes it in any other way such as {@link #orTimeout},
 * ends the call.
 */
final class RetryFuture<R> extends CompletableFuture<R> {
    private final AsyncLoop<?, R> loop;

    RetryFuture(AsyncLoop<?, R> loop) {
        this.loop = loop;
    }

    /**
     * The call has ended with {@code result}, or with {@code failure} if there is one; answers false if that is old.
     */
    boolean end(R result, Throwable failure) {
        return failure == null ? super.complete(result) : super.completeExceptionally(failure);
    }

    @Override
    public boolean complete(R value) {
        return ends(super.complete(value));
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        return ends(super.completeExceptionally(failure));
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean isFirst = !isDone();
        boolean isCancelled = super.cancel(mayInterruptIfRunning);
        if (isFirst) ends(isCancelled);
        return isCancelled;
    }

    private boolean ends(boolean isChanged) {
        if (isChanged) loop.resume();
        return isChanged;
    }
}
