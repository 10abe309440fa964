package dev.reprise.jdkhttp;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Whether something of one attempt has reached the caller's code, or still may. An attempt may have two executions,
 * each with its {@link Reception}; whichever delivers first is the only one that does:
 *
 * <pre>
 * open ──begins──> a reception   it alone delivers; there is no other attempt
 *   └───closes───> CLOSED        another attempt may follow, and nothing of this one is delivered any more
 * </pre>
 *
 * <p>Thread-safe: an attempt that timed out may still receive while the call goes on.
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

    /** What the caller's code has thrown, to which something was delivered; null if it has not. */
    Throwable failure() {
        return failure.getNow(null);
    }

    /**
     * The failure with which an execution ends: its own, which has {@code thrown}; or, if the other one delivers, the
     * failure of that, which comes if the caller's code throws, and otherwise never.
     */
    CompletableFuture<Throwable> failureOf(Reception<?> reception, Throwable thrown) {
        Object current = deliverer.get();
        boolean isOvertaken = current instanceof Reception<?> && current != reception;
        return isOvertaken ? failure : CompletableFuture.completedFuture(thrown);
    }
}
