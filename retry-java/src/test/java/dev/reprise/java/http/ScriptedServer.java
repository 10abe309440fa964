package dev.reprise.java.http;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A server of the loopback interface that answers its requests by a script, the last reply again and again. */
final class ScriptedServer implements AutoCloseable {
    /** Does something to a connection when a request has come; answers whether the connection goes on. */
    interface Reply {
        boolean to(Socket connection) throws IOException, InterruptedException;
    }

    /** A request that came. */
    record Seen(String line, Map<String, String> headers, String body) {}

    final List<Seen> requests = new CopyOnWriteArrayList<>();
    final AtomicInteger connections = new AtomicInteger();
    final CountDownLatch hungUp = new CountDownLatch(1);
    private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private final List<Reply> script;

    ScriptedServer(Reply... script) throws IOException {
        this.script = List.of(script);
        start(this::accept);
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + socket.getLocalPort() + "/");
    }

    /** A whole response that keeps the connection alive. */
    static Reply status(int status, String body, String... headers) {
        return connection -> {
            StringBuilder head =
                    new StringBuilder("HTTP/1.1 " + status + " -\r\nContent-Length: " + body.length() + "\r\n");
            for (String header : headers) head.append(header).append("\r\n");
            write(connection, head + "\r\n" + body);
            return true;
        };
    }

    /** A response whose body is shorter than it says. */
    static Reply truncated() {
        return connection -> {
            write(connection, "HTTP/1.1 200 -\r\nContent-Length: 100\r\n\r\nonly this");
            return false;
        };
    }

    /** A response whose body begins with {@code part} and is then cut off. */
    static Reply cutAfter(int status, String part) {
        return connection -> {
            write(connection, "HTTP/1.1 " + status + " -\r\nContent-Length: 100\r\n\r\n" + part);
            return false;
        };
    }

    /** A response whose body begins with {@code part} and then stalls; the connection is left to the client. */
    static Reply stallAfter(int status, String part, String... headers) {
        return connection -> {
            StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " -\r\nContent-Length: 100\r\n");
            for (String header : headers) head.append(header).append("\r\n");
            write(connection, head + "\r\n" + part);
            return stall().to(connection);
        };
    }

    /** A reset instead of a response. */
    static Reply reset() {
        return connection -> {
            connection.setSoLinger(true, 0);
            return false;
        };
    }

    /** No response at all; the connection is left to the client. */
    static Reply stall() {
        return connection -> {
            while (connection.getInputStream().read() >= 0) Thread.onSpinWait();
            return false;
        };
    }

    /** A failure whose body has no end. */
    static Reply endless(int status) {
        return connection -> {
            write(connection, "HTTP/1.1 " + status + " -\r\nContent-Length: 1000000000000\r\n\r\n");
            byte[] block = new byte[8192];
            while (true) connection.getOutputStream().write(block);
        };
    }

    private static void write(Socket connection, String text) throws IOException {
        OutputStream out = connection.getOutputStream();
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    private void accept() {
        while (true) {
            try {
                Socket connection = socket.accept();
                open.add(connection);
                connections.incrementAndGet();
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
                int number = read(in);
                if (number < 0) break;
                if (!script.get(Math.min(number, script.size() - 1)).to(connection)) break;
            }
        } catch (IOException | InterruptedException e) {
            // The client has gone.
        }
        hungUp.countDown();
    }

    /** Reads a request, and answers the how manyth it is; -1 at the end of the connection. */
    private int read(InputStream in) throws IOException {
        String line = line(in);
        if (line == null) return -1;
        Map<String, String> headers = new TreeMap<>();
        for (String header = line(in); header != null && !header.isEmpty(); header = line(in)) {
            int colon = header.indexOf(':');
            headers.put(
                    header.substring(0, colon).toLowerCase(Locale.ROOT),
                    header.substring(colon + 1).trim());
        }
        byte[] body = in.readNBytes(Integer.parseInt(headers.getOrDefault("content-length", "0")));
        if ("chunked".equals(headers.get("transfer-encoding"))) body = chunks(in);
        synchronized (requests) {
            requests.add(new Seen(line, headers, new String(body, StandardCharsets.ISO_8859_1)));
            return requests.size() - 1;
        }
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
        Thread thread = new Thread(work, "scripted-server");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        socket.close();
        for (Socket connection : open) connection.close();
    }
}
