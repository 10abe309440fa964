package dev.reprise.faults;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/** The server's half of a web socket, as far as one short message needs it. */
final class WebSockets {
    /** RFC 6455, section 1.3. */
    private static final String ID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

    private static final char TEXT = 0x81;
    private static final int LONGEST = 125;

    private WebSockets() {}

    /**
     * Accepts the upgrade that {@code request} asks for and sends {@code text} in one frame, with a pause in its
     * middle.
     */
    static Reply sending(Seen request, String text, long pauseMillis) {
        if (text.length() > LONGEST) throw new IllegalArgumentException("too long for one byte of length: " + text);
        String head = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Accept: " + accepted(request.headers().get("sec-websocket-key")) + "\r\n\r\n";
        String begin = head + TEXT + (char) text.length() + text.charAt(0);
        return connection -> {
            Replies.pausing(pauseMillis, begin, text.substring(1)).to(connection);
            return Replies.untilClientGoes(connection);
        };
    }

    private static String accepted(String key) {
        try {
            byte[] sum = MessageDigest.getInstance("SHA-1").digest((key + ID).getBytes(StandardCharsets.ISO_8859_1));
            return Base64.getEncoder().encodeToString(sum);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
