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

/**
 * A server of raw sockets on the loopback interface that does its faults in turn, one for each request, the last one
 * for ever. It counts what it sees. Thread-safe.
 */
public final class FaultServer implements AutoCloseable {
    private final List<Fault> script;
    private final ServerSocket socket;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final List<String> bodies = new CopyOnWriteArrayList<>();
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger connections = new AtomicInteger();

    /** Starts a server that does {@code script}, which has at least one fault. */
    public FaultServer(Fault... script) {
        this.script = List.of(script);
        try {
            socket = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept);
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
                if (upcoming() == Fault.RESET_BEFORE_READING) {
                    take().answer(connection);
                    break;
                }
                String body = read(in);
                if (body == null) break;
                bodies.add(body);
                if (!take().answer(connection)) break;
            }
        } catch (IOException | NumberFormatException e) {
            // The client has gone.
        } finally {
            open.remove(connection);
        }
    }

    private Fault upcoming() {
        return script.get(Math.min(next.get(), script.size() - 1));
    }

    private Fault take() {
        return script.get(Math.min(next.getAndIncrement(), script.size() - 1));
    }

    /** Reads a request and returns its body; {@code null} at the end of the connection. */
    private static String read(InputStream in) throws IOException {
        String line = line(in);
        if (line == null) return null;
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
}
