package dev.reprise.jdkhttp;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Whether something of one attempt has reached the caller's code, or still may. An attempt may have two executions,
 * each with its {@link Reception}; only the one that delivers first delivers at all:
 *
 * <pre>
 * open ──begins──> a reception   it alone delivers; there is no other attempt
 *   └───closes───> CLOSED        another attempt may follow, and nothing of this one is delivered any more
 * </pre>
 *
 * <p>Thread-safe: an attempt that timed out may still receive while the call continues.
 */
final class Delivery {
    private static final Object CLOSED = new Object();

    private final AtomicReference<Object> deliverer = new AtomicReference<>();
    private final CompletableFuture<Throwable> failure = new CompletableFuture<>();

    /** Something that {@code reception} has received reaches the caller's code now. Returns false if it must not. */
    boolean begins(Reception<?> reception) {
        return deliverer.compareAndSet(null, reception) || isOf(reception);
    }

    /** Whether {@code reception} has delivered something. */
    boolean isOf(Reception<?> reception) {
        return deliverer.get() == reception;
    }

    /** The attempt has failed. Returns whether nothing of it was delivered; then nothing will be. */
    boolean closes() {
        return deliverer.compareAndSet(null, CLOSED) || isClosed();
    }

    /** Whether the attempt has failed, so that nothing of it will be delivered. */
    boolean isClosed() {
        return deliverer.get() == CLOSED;
    }

    /** Whether {@code reception} must not deliver any more. */
    boolean isClosedTo(Reception<?> reception) {
        Object current = deliverer.get();
        return current != null && current != reception;
    }

    /** The execution of {@code reception} has failed. */
    void failed(Reception<?> reception, Throwable thrown) {
        if (isOf(reception)) failure.complete(thrown);
    }

    /** The exception of the caller's code after a delivery to it; null if there is none. */
    Throwable failure() {
        return failure.getNow(null);
    }

    /**
     * The failure with which an execution ends: its own, which has {@code thrown}. If the other one delivers, it is the
     * failure of that one, which comes only if the caller's code throws.
     */
    CompletableFuture<Throwable> failureOf(Reception<?> reception, Throwable thrown) {
        Object current = deliverer.get();
        boolean isOvertaken = current instanceof Reception<?> && current != reception;
        return isOvertaken ? failure : CompletableFuture.completedFuture(thrown);
    }
}
