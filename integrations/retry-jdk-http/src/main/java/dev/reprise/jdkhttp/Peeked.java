package dev.reprise.jdkhttp;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;

/** The beginning of a body. Written by the thread that receives it, read once it has ended. */
final class Peeked {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    /** Whether this is all of the body. */
    volatile boolean isWhole;

    /** Copies the bytes of {@code item} up to {@code limit} and one more; the item stays unchanged. */
    synchronized void add(List<ByteBuffer> item, int limit) {
        for (ByteBuffer buffer : item) {
            byte[] part = new byte[(int) Math.min(buffer.remaining(), limit + 1L - bytes.size())];
            buffer.duplicate().get(part);
            bytes.writeBytes(part);
        }
    }

    synchronized int size() {
        return bytes.size();
    }

    synchronized byte[] bytes() {
        return bytes.toByteArray();
    }
}
