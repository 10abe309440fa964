package dev.reprise.java.internal;

import dev.reprise.core.shell.http.BodyPeek;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;

/** The beginning of a response's body, read within its attempt; then the rest. Confined to one call. */
public final class ReadAhead {
    private static final int PART = 8 * 1024;

    private final byte[] bytes;
    private final InputStream rest;

    private ReadAhead(byte[] bytes, InputStream rest) {
        this.bytes = bytes;
        this.rest = rest;
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
    public static ReadAhead of(Source source, long length, int limit, boolean isFailure) throws IOException {
        // One byte more, to see the end.
        byte[] part = new byte[(int) (length < 0 ? PART : Math.min(length + 1, PART))];
        ByteArrayOutputStream read = new ByteArrayOutputStream(part.length);
        InputStream rest;
        long start = System.nanoTime();
        try {
            InputStream body = source.open();
            rest = body;
            while (read.size() <= limit && !(isFailure && System.nanoTime() - start > BodyPeek.LONGEST_NANOS)) {
                int most = (int) Math.min(part.length, limit + 1L - read.size());
                int size = isFailure ? readSome(body, part, most) : body.read(part, 0, most);
                if (size < 0) return new ReadAhead(read.toByteArray(), null);
                read.write(part, 0, size);
            }
        } catch (IOException | RuntimeException e) {
            // Reactor Netty's stream throws it wrapped.
            Throwable own = e instanceof IOException ? e : e.getCause();
            if (!(own instanceof IOException failure)) throw e;
            if (!isFailure) throw failure;
            rest = new InputStream() {
                @Override
                public int read() throws IOException {
                    throw failure;
                }
            };
        }
        return new ReadAhead(read.toByteArray(), rest);
    }

    /** Reads what has come, at least a byte: Reactor Netty's stream waits until a buffer is full. */
    private static int readSome(InputStream body, byte[] part, int most) throws IOException {
        int first = body.read();
        if (first < 0) return -1;
        part[0] = (byte) first;
        int more = Math.min(body.available(), most - 1);
        return more > 0 ? 1 + Math.max(body.read(part, 1, more), 0) : 1;
    }

    /** The bytes that were read. */
    public byte[] bytes() {
        return bytes;
    }

    /** Whether that is all of the body. */
    public boolean isWhole() {
        return rest == null;
    }

    /** The bytes that were read, then the rest within {@code limit}, which may be null. */
    public InputStream body(ExchangeLimit limit) {
        InputStream first = new ByteArrayInputStream(bytes);
        return rest == null ? first : new SequenceInputStream(first, limit == null ? rest : limit.over(rest));
    }
}
