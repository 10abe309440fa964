package dev.reprise.tck;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The future that a method will return, once it has returned. */
record LaterFuture(CompletableFuture<Future<?>> method) implements Future<Object> {
    @Override
    public boolean cancel(boolean mayInterrupt) {
        return method.cancel(mayInterrupt) || returned() != null && returned().cancel(mayInterrupt);
    }

    @Override
    public boolean isCancelled() {
        return method.isCancelled() || returned() != null && returned().isCancelled();
    }

    @Override
    public boolean isDone() {
        return method.isCompletedExceptionally()
                || returned() != null && returned().isDone();
    }

    @Override
    public Object get() throws InterruptedException, ExecutionException {
        return method.get().get();
    }

    @Override
    public Object get(long time, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        var until = System.nanoTime() + unit.toNanos(time);
        return method.get(time, unit).get(Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS);
    }

    private Future<?> returned() {
        return method.isDone() && !method.isCompletedExceptionally() ? method.join() : null;
    }
}
