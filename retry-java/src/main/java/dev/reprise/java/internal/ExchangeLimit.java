package dev.reprise.java.internal;

import static dev.reprise.core.shell.time.NanosKt.UNLIMITED_NANOS;

import dev.reprise.core.Attempt;
import dev.reprise.core.AttemptTimeoutException;
import dev.reprise.core.RetryTrace;
import dev.reprise.java.JavaWaiter;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.time.Duration;

/**
 * Cuts the HTTP exchange of an attempt that has taken as long as it may: a thread that waits for a socket feels no
 * interrupt. Thread-safe.
 */
public final class ExchangeLimit implements AutoCloseable {
    private final Attempt attempt;
    private final long nanos;
    private final RetryTrace trace;
    private final Runnable cut;
    private final long startedAt = System.nanoTime();
    private final Runnable timer;
    private volatile boolean isClosed;
    private volatile boolean isOver;

    private ExchangeLimit(Attempt attempt, long nanos, JavaWaiter waiter, RetryTrace trace, Runnable cut) {
        this.attempt = attempt;
        this.nanos = nanos;
        this.trace = trace;
        this.cut = cut;
        // Elsewhere: closing a socket may block, and must not hold up the one thread of all timers.
        timer = waiter.after(Duration.ofNanos(nanos), () -> Elsewhere.run(this::fire));
    }

    /**
     * Runs {@code cut}, which may block, as soon as {@code attempt} has no time left, unless the limit is closed
     * before; null if there is none. Its exception carries {@code trace}, if that is not null.
     */
    public static ExchangeLimit of(Attempt attempt, JavaWaiter waiter, RetryTrace trace, Runnable cut) {
        long left = attempt.getTimeLeftNanos();
        if (left == UNLIMITED_NANOS) return null;
        return new ExchangeLimit(attempt, Math.max(left, 1), waiter, trace, cut);
    }

    /**
     * The limit of the rest of a failure's body: the time that its attempt, the {@code last} one, still has. What is
     * left is {@code released} if that throws.
     */
    public static ExchangeLimit ofRest(
            Attempt last, JavaWaiter waiter, RetryTrace trace, Runnable cut, Runnable released) {
        try {
            return last == null ? null : of(last, waiter, trace, cut);
        } catch (Throwable e) {
            released.run();
            throw e;
        }
    }

    private void fire() {
        synchronized (this) {
            if (isClosed) return;
            isOver = true;
        }
        cut.run();
    }

    /** Whether the exchange was cut, or should have been: on a busy machine the timer may be late. */
    public boolean isOver() {
        return isOver || System.nanoTime() - startedAt >= nanos;
    }

    /** Whether the limit was closed. */
    public boolean isClosed() {
        return isClosed;
    }

    /** Ends the limit, and leaves the exchange as it is. */
    @Override
    public void close() {
        synchronized (this) {
            isClosed = true;
        }
        Timers.stop(timer);
    }

    /** The exception of an exchange that was cut. */
    public SocketTimeoutException timeout() {
        AttemptTimeoutException timeout = new AttemptTimeoutException(attempt.getNumber(), attempt.getLimitNanos());
        if (trace != null) timeout.addSuppressed(trace);
        return (SocketTimeoutException) HttpFaces.asIo(timeout, SocketTimeoutException::new);
    }

    /**
     * {@code body}, which ends with an exception when the time is over, whatever the client below makes of a body that
     * is closed under its reader: neither a byte nor an end counts from then on.
     */
    public InputStream over(InputStream body) {
        return new FilterInputStream(body) {
            @Override
            public int read() throws IOException {
                return inTime(body::read);
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                return inTime(() -> body.read(bytes, offset, length));
            }

            @Override
            public int available() throws IOException {
                return isOver ? 0 : body.available();
            }
        };
    }

    private int inTime(Read read) throws IOException {
        int size = -1;
        try {
            if (!isOver) size = read.once();
        } catch (IOException | RuntimeException e) {
            if (!isOver) throw e;
        }
        if (isOver) throw timeout();
        return size;
    }

    private interface Read {
        int once() throws IOException;
    }
}
