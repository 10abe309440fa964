package dev.reprise.jdkhttp;

import java.util.concurrent.atomic.AtomicReference;

/**
 * Whether something of one attempt has reached the caller's code, or still may. Whoever leaves {@code OPEN} has
 * decided:
 *
 * <pre>
 * OPEN ──begins──> DELIVERED   there is no other attempt
 *   └───closes───> CLOSED      another attempt may follow, and nothing of this one is delivered any more
 * </pre>
 *
 * <p>Thread-safe: an attempt that timed out may still receive while the call goes on.
 */
final class Delivery {
    private enum Stage {
        OPEN,
        DELIVERED,
        CLOSED
    }

    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.OPEN);

    /** Something reaches the caller's code now. Returns false, and it must not, if the call has gone on. */
    boolean begins() {
        return stage.compareAndSet(Stage.OPEN, Stage.DELIVERED) || stage.get() == Stage.DELIVERED;
    }

    /** The attempt has failed. Returns whether nothing of it was delivered; then nothing will be. */
    boolean closes() {
        return stage.compareAndSet(Stage.OPEN, Stage.CLOSED) || stage.get() == Stage.CLOSED;
    }

    /** Whether the call has gone on. */
    boolean isClosed() {
        return stage.get() == Stage.CLOSED;
    }
}
