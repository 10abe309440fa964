package dev.reprise.jdkhttp;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The calls of a client that may wait between attempts: closing the client ends those waits. Thread-safe. */
final class OpenWaits {
    private final Set<Runnable> enders = ConcurrentHashMap.newKeySet();
    private volatile boolean isClosed;

    /** From now on a close runs {@code ender}; at once if there was one already. */
    void add(Runnable ender) {
        enders.add(ender);
        if (isClosed) ender.run();
    }

    /** A close no longer runs {@code ender}. */
    void remove(Runnable ender) {
        enders.remove(ender);
    }

    /** Ends all waits, also later ones. */
    void close() {
        isClosed = true;
        enders.forEach(Runnable::run);
    }

    boolean isClosed() {
        return isClosed;
    }

    /** The exception of a call that {@link #close} ended, because of {@code cause} if that is not null. */
    static IOException closed(Throwable cause) {
        return new IOException("the client was closed", cause);
    }
}
