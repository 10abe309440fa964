package dev.reprise.faults;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * A server of raw sockets on the loopback interface that does a fault for each request: those of a script in turn, the
 * last one for ever, or whatever comes. It counts what it sees. Thread-safe.
 */
public final class FaultServer implements AutoCloseable {
    private final Supplier<Fault> upcoming;
    private final Supplier<Fault> faults;
    private final BiConsumer<String, String> requests;
    private final ServerSocket socket;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final List<String> bodies = new CopyOnWriteArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();

    /** Starts a server that does {@code script}, which has at least one fault. */
    public FaultServer(Fault... script) {
        Script turns = new Script(List.of(script));
        upcoming = turns::upcoming;
        faults = turns::take;
        requests = (line, body) -> bodies.add(body);
        socket = listen();
        start(this::accept);
    }

    /**
     * Starts a server that does what {@code faults} says, and tells {@code requests} the first line and the body of
     * each request that it has read; it keeps none of them.
     */
    public FaultServer(Supplier<Fault> faults, BiConsumer<String, String> requests) {
        upcoming = () -> Fault.NONE;
        this.faults = faults;
        this.requests = requests;
        socket = listen();
        start(this::accept);
    }

    private static ServerSocket listen() {
        try {
            return new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns an address that refuses connections. */
    public static URI refused() {
        try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return URI.create("http://127.0.0.1:" + closed.getLocalPort() + "/");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where the server is. */
    public URI uri() {
        return URI.create("http://127.0.0.1:" + socket.getLocalPort() + "/");
    }

    /** The bodies of the requests that were read, in order; one for each. */
    public List<String> bodies() {
        return bodies;
    }

    /** How many connections were made. */
    public int connections() {
        return connections.get();
    }

    /** How many connections are open now. */
    public int openConnections() {
        return open.size();
    }

    private void accept() {
        while (!socket.isClosed()) {
            try {
                Socket connection = socket.accept();
                connections.incrementAndGet();
                open.add(connection);
                start(() -> serve(connection));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket connection) {
        try (connection) {
            InputStream in = new BufferedInputStream(connection.getInputStream());
            while (true) {
                if (upcoming.get() == Fault.RESET_BEFORE_READING) {
                    faults.get().answer(connection);
                    break;
                }
                String line = line(in);
                if (line == null) break;
                requests.accept(line, readBody(in));
                if (!faults.get().answer(connection)) break;
            }
        } catch (IOException | NumberFormatException e) {
            // The client has gone.
        } finally {
            open.remove(connection);
        }
    }

    /** Reads the rest of a request, and returns its body. */
    private static String readBody(InputStream in) throws IOException {
        int length = 0;
        boolean isChunked = false;
        for (String header = line(in); header != null && !header.isEmpty(); header = line(in)) {
            String lower = header.toLowerCase(Locale.ROOT);
            if (lower.startsWith("content-length:"))
                length = Integer.parseInt(lower.substring(15).trim());
            if (lower.equals("transfer-encoding: chunked")) isChunked = true;
        }
        byte[] body = isChunked ? chunks(in) : in.readNBytes(length);
        return new String(body, StandardCharsets.ISO_8859_1);
    }

    private static byte[] chunks(InputStream in) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (true) {
            int size = Integer.parseInt(line(in), 16);
            body.write(in.readNBytes(size));
            line(in);
            if (size == 0) return body.toByteArray();
        }
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next >= 0; next = in.read()) {
            if (next == '\n') return line.toString();
            if (next != '\r') line.append((char) next);
        }
        return null;
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "fault-server");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            socket.close();
            for (Socket connection : open) connection.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One fault after another; the last one for ever. */
    private static final class Script {
        private final List<Fault> faults;
        private final AtomicInteger next = new AtomicInteger();

        Script(List<Fault> faults) {
            this.faults = faults;
        }

        Fault upcoming() {
            return faults.get(Math.min(next.get(), faults.size() - 1));
        }

        Fault take() {
            return faults.get(Math.min(next.getAndIncrement(), faults.size() - 1));
        }
    }
}
