package dev.reprise.java.internal;

import dev.reprise.core.shell.http.BodyPeek;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The beginning of a response's body, read within its attempt; then the rest. A failure's is read on a thread of its
 * own, for one read may take for ever. Confined to one call.
 */
public final class ReadAhead {
    private static final int PART = 8 * 1024;
    private static final GrowingPool READING = new GrowingPool("reprise-reader", 16, 512);

    private final Source source;
    private final int limit;
    private final boolean isFailure;
    private final byte[] part;
    private final FutureTask<InputStream> reading = new FutureTask<>(this::read);
    private volatile InputStream opened;
    private byte[] bytes;
    private boolean isWhole;

    private volatile boolean isTaken;

    // Guarded by this.
    private final ByteArrayOutputStream read = new ByteArrayOutputStream();
    private boolean isAtEnd;

    private ReadAhead(Source source, long length, int limit, boolean isFailure) {
        this.source = source;
        this.limit = limit;
        this.isFailure = isFailure;
        // One byte more, to see the end.
        part = new byte[(int) (length < 0 ? PART : Math.min(length + 1, PART))];
    }

    /** Opens a body, or reads all of it if a client below keeps bodies. */
    public interface Source {
        InputStream open() throws IOException;
    }

    /**
     * Reads {@code limit} bytes of the body of {@code source}, or one more if there are. The {@code length} of the body
     * is -1 if unknown. A good one that breaks off throws; a failure's is read for {@link BodyPeek#LONGEST_NANOS}, and
     * its caller sees the break where it is.
     */
    public static ReadAhead of(Source source, long length, int limit, boolean isFailure)
            throws IOException, InterruptedException {
        ReadAhead ahead = new ReadAhead(source, length, limit, isFailure);
        if (isFailure) READING.execute(ahead::readUnlessTaken);
        else ahead.rest();
        try {
            ahead.reading.get(BodyPeek.LONGEST_NANOS, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            // The read that is under way ends when its exchange does.
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Error error) throw error;
        }
        ahead.take();
        return ahead;
    }

    /** A late thread must not open the body of a response that may be closed already. */
    private void readUnlessTaken() {
        if (!isTaken) reading.run();
    }

    /** Reads on this thread, and returns the stream of what follows. */
    private InputStream read() throws IOException {
        InputStream body = source.open();
        opened = body;
        int size = 0;
        while (wantsAfter(size)) {
            int most = (int) Math.min(part.length, limit + 1L - read.size());
            size = isFailure ? readSome(body, most) : body.read(part, 0, most);
        }
        return body;
    }

    /** Takes note of {@code size} more bytes, -1 for the end. Returns whether there should be more. */
    private synchronized boolean wantsAfter(int size) {
        isAtEnd = size < 0;
        if (isAtEnd) return false;
        read.write(part, 0, size);
        return !isTaken && read.size() <= limit;
    }

    /**
     * Reads what has come, at least a byte: Reactor Netty's stream waits until a buffer is full. Closed under a reader
     * of one byte that stands in no array, it would not let go of its connection.
     */
    private int readSome(InputStream body, int most) throws IOException {
        if (body.read(part, 0, 1) < 0) return -1;
        int more = Math.min(body.available(), most - 1);
        return more > 0 ? 1 + Math.max(body.read(part, 1, more), 0) : 1;
    }

    private synchronized void take() {
        isTaken = true;
        isWhole = isAtEnd;
        bytes = read.toByteArray();
    }

    /** The stream of what follows the bytes that were read, when the read that is under way has ended. */
    private InputStream rest() throws IOException {
        // On this thread, if no other has begun.
        reading.run();
        try {
            return reading.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (ExecutionException e) {
            throw breakOf(e);
        }
    }

    /** The exception by which the body broke off. Reactor Netty's stream throws it wrapped. Throws any other. */
    private static IOException breakOf(ExecutionException e) {
        Throwable thrown = e.getCause();
        if (thrown instanceof Error error) throw error;
        if (thrown instanceof IOException own) return own;
        if (thrown.getCause() instanceof IOException own) return own;
        throw (RuntimeException) thrown;
    }

    /** The bytes that were read. */
    public byte[] bytes() {
        return bytes;
    }

    /** Whether that is all of the body. */
    public boolean isWhole() {
        return isWhole;
    }

    /** The bytes that were read, then the rest within {@code limit}, which may be null. */
    public InputStream body(ExchangeLimit limit) {
        InputStream first = new ByteArrayInputStream(bytes);
        if (isWhole) return first;
        InputStream rest = new Rest();
        return new SequenceInputStream(first, limit == null ? rest : limit.over(rest));
    }

    /** What a late read has brought, then what follows. */
    private final class Rest extends InputStream {
        private InputStream next;

        private InputStream next() throws IOException {
            if (next == null) {
                InputStream body = rest();
                byte[] all = read.toByteArray();
                InputStream late = new ByteArrayInputStream(all, bytes.length, all.length - bytes.length);
                next = isAtEnd ? late : new SequenceInputStream(late, body);
            }
            return next;
        }

        @Override
        public int read() throws IOException {
            return next().read();
        }

        @Override
        public int read(byte[] into, int from, int most) throws IOException {
            return next().read(into, from, most);
        }

        @Override
        public void close() throws IOException {
            if (opened != null) opened.close();
        }
    }
}
