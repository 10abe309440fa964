package dev.reprise.jdkhttp;

import dev.reprise.java.WaitGuard;
import java.util.concurrent.CancellationException;

/**
 * The waits of one call, which end when its client is closed. Nothing is made before the first one: a call that
 * succeeds at once pays nothing. Used by one thread at a time.
 */
final class CallWaits {
    private final OpenWaits open;
    private final Runnable own;
    private Runnable ender;
    private WaitGuard guard;

    /** The waits of a call that {@code ender} ends, or, if that is null, of the thread that makes this. */
    CallWaits(OpenWaits open, Runnable ender) {
        this.open = open;
        own = ender;
    }

    /** A wait may follow now. */
    void mayBegin() {
        if (ender != null) return;
        if (own == null) guard = new WaitGuard();
        ender = own == null ? guard::fire : own;
        open.add(ender);
    }

    /** An attempt begins. */
    void attemptBegins() {
        if (open.isClosed()) throw new CancellationException("the client was closed");
        if (guard != null) guard.attempt(true);
    }

    /** An attempt has ended. */
    void attemptEnds() {
        if (guard != null) guard.attempt(false);
    }

    /** The call has ended. Returns whether the close of the client ended a wait of its thread. */
    boolean end() {
        if (ender != null) open.remove(ender);
        if (guard == null) return false;
        guard.end();
        return guard.hasFired();
    }
}
