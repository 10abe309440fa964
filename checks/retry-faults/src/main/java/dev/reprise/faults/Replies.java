package dev.reprise.faults;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;

/** The replies that servers, healthy and broken, are made of. */
public final class Replies {
    private Replies() {}

    /** A whole response; the connection stays. */
    public static Reply status(int status, String body, String... headers) {
        return raw(head(status, body.length(), headers) + body, true);
    }

    /** A whole response, after which the connection is closed as its head says. */
    public static Reply statusAndClose(int status, String body) {
        return raw(head(status, body.length(), "Connection: close") + body, false);
    }

    /** Sends {@code text} unchanged; keeps the connection if {@code staysOpen}. */
    public static Reply raw(String text, boolean staysOpen) {
        return connection -> {
            send(connection, text);
            return staysOpen;
        };
    }

    /** A response whose body begins with {@code part} and is then cut off. */
    public static Reply cutAfter(int status, String part) {
        return raw(head(status, part.length() + 100) + part, false);
    }

    /** A good response of which {@code sent} bytes come, and {@code more} do not. */
    public static Reply cutBy(int sent, int more) {
        return raw(head(200, sent + more) + "x".repeat(sent), false);
    }

    /** A response whose body begins with {@code part} and then stalls; the connection is left to the client. */
    public static Reply stallAfter(int status, String part, String... headers) {
        return connection -> {
            send(connection, head(status, part.length() + 100, headers) + part);
            return untilClientGoes(connection);
        };
    }

    /**
     * A response of unknown length that begins with {@code part} and then stalls; the connection is left to the client.
     */
    public static Reply stallInChunks(int status, String part) {
        return connection -> {
            send(connection, chunkedHead(status) + chunk(part));
            return untilClientGoes(connection);
        };
    }

    /**
     * A response whose body its connection is to end; it begins with {@code part} and then stalls, and the connection
     * is left to the client.
     */
    public static Reply stallWithoutLength(int status, String part) {
        return connection -> {
            send(connection, "HTTP/1.1 " + status + " -\r\nConnection: close\r\n\r\n" + part);
            return untilClientGoes(connection);
        };
    }

    /** A response of unknown length whose body comes five bytes at a time, for so many {@code seconds}. */
    public static Reply trickling(int status, int seconds) {
        String[] parts = new String[1 + 20 * seconds];
        Arrays.fill(parts, chunk("busy "));
        parts[0] = chunkedHead(status);
        return pausing(50, parts);
    }

    /** No response at all; the connection is left to the client. */
    public static Reply stall() {
        return Replies::untilClientGoes;
    }

    /** The end of the connection instead of a response. */
    public static Reply hangUp() {
        return connection -> false;
    }

    /** A reset instead of a response. */
    public static Reply reset() {
        return connection -> {
            connection.setSoLinger(true, 0);
            return false;
        };
    }

    /** A response whose body has no end. */
    public static Reply endless(int status) {
        return connection -> {
            send(connection, "HTTP/1.1 " + status + " -\r\nContent-Length: 1000000000000\r\n\r\n");
            byte[] block = new byte[8192];
            while (true) connection.getOutputStream().write(block);
        };
    }

    /** The {@code parts} in turn, with a pause before each but the first; the connection stays. */
    public static Reply pausing(long millis, String... parts) {
        return connection -> {
            send(connection, parts[0]);
            for (int i = 1; i < parts.length; i++) {
                pause(millis);
                send(connection, parts[i]);
            }
            return true;
        };
    }

    static void pause(long millis) throws IOException {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
    }

    static String head(int status, int length, String... headers) {
        StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " -\r\nContent-Length: " + length + "\r\n");
        for (String header : headers) head.append(header).append("\r\n");
        return head.append("\r\n").toString();
    }

    /** The head of a text of unknown length. */
    public static String chunkedHead(int status) {
        return "HTTP/1.1 " + status + " -\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n";
    }

    /** {@code text} in gzip; ISO-8859-1 keeps its bytes. */
    public static String packed(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(text.getBytes(StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toString(StandardCharsets.ISO_8859_1);
    }

    /** A chunk with {@code text}; the last one if that is empty. */
    public static String chunk(String text) {
        return Integer.toHexString(text.length()) + "\r\n" + text + "\r\n";
    }

    static boolean untilClientGoes(Socket connection) throws IOException {
        while (connection.getInputStream().read() >= 0) Thread.onSpinWait();
        return false;
    }

    static void send(Socket connection, String text) throws IOException {
        OutputStream out = connection.getOutputStream();
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }
}
