package dev.reprise.faults;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Reads requests of HTTP/1.1, and trusts their clients. */
final class RequestReader {
    private RequestReader() {}

    /** Reads a request; {@code null} at the end of the connection. */
    static Seen read(InputStream in) throws IOException {
        String line = line(in);
        if (line == null) return null;
        Map<String, String> headers = new TreeMap<>();
        for (String header = line(in); header != null && !header.isEmpty(); header = line(in)) {
            int colon = header.indexOf(':');
            headers.put(
                    header.substring(0, colon).toLowerCase(Locale.ROOT),
                    header.substring(colon + 1).trim());
        }
        boolean isChunked = "chunked".equalsIgnoreCase(headers.get("transfer-encoding"));
        byte[] body =
                isChunked ? chunks(in) : in.readNBytes(Integer.parseInt(headers.getOrDefault("content-length", "0")));
        return new Seen(line, headers, new String(body, StandardCharsets.ISO_8859_1));
    }

    private static byte[] chunks(InputStream in) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (true) {
            String length = line(in);
            if (length == null) throw new IOException("the client has gone in its body");
            int size = Integer.parseInt(length, 16);
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
}
