package dev.reprise.java;

import dev.reprise.core.Upstream;
import dev.reprise.core.shell.call.ServedRequest;
import dev.reprise.coroutines.Retrier;
import java.util.Objects;

/** Tells the calls of a thread which request they are made for, where no server plugin does. */
public final class Serving {
    private Serving() {}

    /** Work for one upstream; {@link #close} it on the thread that opened it. */
    @FunctionalInterface
    public interface Scope extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Serves {@code upstream} on this thread until the returned scope is closed: calls that begin here meanwhile are
     * made for it, blocking ones, and futures with all their attempts. If it is a retry, each makes one attempt.
     *
     * <pre>{@code
     * try (var serving = Serving.open(new Upstream(2, 3))) {
     *     return orders.call(() -> client.fetch(id));
     * }
     * }</pre>
     */
    public static Scope open(Upstream upstream) {
        Objects.requireNonNull(upstream, "upstream");
        return new ServedRequest(upstream, Retrier.SYSTEM_CLOCK).open()::close;
    }
}
