package dev.reprise.jdkhttp;

import dev.reprise.core.Attempt;
import dev.reprise.java.WaitGuard;
import java.util.concurrent.CancellationException;

/**
 * The waits of one call, which end when its client is closed. Nothing is made before the first one: a call that
 * succeeds at once pays nothing. Thread-safe: a call that was ended from outside may still take a step elsewhere.
 */
final class CallWaits {
    private final OpenWaits open;
    private final Runnable own;
    private final Thread caller = Thread.currentThread();
    private Runnable ender;
    private WaitGuard guard;
    private boolean isOver;

    /** The waits of a call that {@code ender} ends, or, if that is null, of the thread that makes this. */
    CallWaits(OpenWaits open, Runnable ender) {
        this.open = open;
        own = ender;
    }

    /** A wait may follow now, until an attempt begins. If the client was closed meanwhile, the wait ends at once. */
    synchronized void mayBegin() {
        if (isOver) return;
        if (ender == null) {
            if (own == null) guard = new WaitGuard(caller);
            ender = own == null ? guard::fire : own;
        }
        open.add(ender);
    }

    /** {@code attempt} begins, which a close leaves alone. A copy belongs to the attempt that is under way. */
    void attemptBegins(Attempt attempt) {
        if (open.isClosed() && !attempt.isCopy()) throw new CancellationException("the client was closed");
        attempt(true);
    }

    /** An attempt has ended. */
    void attemptEnds() {
        attempt(false);
    }

    private synchronized void attempt(boolean isRunning) {
        if (guard != null) guard.attempt(isRunning);
        if (isRunning && ender != null) open.remove(ender);
    }

    /** The call has ended. Returns whether the close of the client ended a wait of its thread. */
    synchronized boolean end() {
        isOver = true;
        if (ender != null) open.remove(ender);
        if (guard == null) return false;
        guard.end();
        return guard.hasFired();
    }
}
