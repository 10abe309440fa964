package dev.reprise.faults;

import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** A {@link FaultServer}'s reaction to one request, in place of a plain response. */
public enum Fault implements Reply {
    /** No fault: a whole 200 whose body is {@link #BODY}; the connection stays. */
    NONE(Replies.status(200, Fault.BODY)),

    /** A whole 503; the connection stays. */
    UNAVAILABLE(Replies.status(503, Fault.BODY)),

    /** A whole 503, after which the server closes the connection, as it says. */
    UNAVAILABLE_AND_CLOSE(Replies.statusAndClose(503, Fault.BODY)),

    /**
     * A whole 200, after which the server closes a connection that the client may keep: the next request finds it
     * stale.
     */
    STALE_KEEP_ALIVE(Replies.raw(Replies.head(200, Fault.BODY.length()) + Fault.BODY, false)),

    /** A reset before the request is read. */
    RESET_BEFORE_READING(Replies.reset(), false),

    /** A connection that stays, and of whose request only the first byte is read. */
    UNREAD(
            connection -> {
                while (!connection.isClosed()) Replies.pause(5);
                return false;
            },
            false),

    /** A reset once the request is read. */
    RESET(Replies.reset()),

    /** The end of the connection instead of a response. */
    HANG_UP(Replies.hangUp()),

    /** The server ends its half of the connection and keeps the other open. */
    HALF_CLOSE(connection -> {
        connection.shutdownOutput();
        return Replies.untilClientGoes(connection);
    }),

    /** The first half of a head. */
    CUT_HEAD(Replies.raw("HTTP/1.1 200 OK\r\nContent-Le", false)),

    /** No status line at all. */
    GARBAGE_STATUS(Replies.raw("HTTP/1.1 what is this\r\n\r\n", false)),

    /** The first half of a head, and nothing more. */
    SLOW_HEAD(stalling("HTTP/1.1 200 OK\r\n")),

    /** The head and the beginning of a good body, and nothing more. */
    STALLED_BODY(stalling(beginning(200))),

    /** A good body that pauses for longer than an attempt may take. */
    PAUSING_BODY(Replies.pausing(Fault.PAUSE_MILLIS, beginning(200), Fault.BODY.substring(10))),

    /** A stream of events: its length is unknown, and its first silence longer than an attempt may take. */
    EVENT_STREAM(connection -> {
        String head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
        Replies.pausing(Fault.PAUSE_MILLIS, head, Fault.BODY).to(connection);
        return false;
    }),

    /** The head and the beginning of a failure's body, and nothing more. */
    STALLED_FAILURE(stalling(beginning(503))),

    /** The first chunk of a good text, and nothing more. */
    STALLED_CHUNKS(Replies.stallInChunks(200, "hello")),

    /** A good body, a byte at a time, which takes longer than an attempt may. */
    TRICKLING_BODY(Replies.pausing(Fault.PAUSE_MILLIS / 60, trickle())),

    /** A failure's body, a few bytes at a time for longer than an attempt may take. */
    TRICKLING_FAILURE(Replies.trickling(503, 4)),

    /** A body that ends before its length is reached. */
    CUT_BODY(Replies.raw(beginning(200), false)),

    /** A chunk whose length is no number. */
    BAD_CHUNK(Replies.raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nwhat\r\n", false)),

    /** Chunks without the last one. */
    CUT_CHUNKS(Replies.raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", false)),

    /** An interim 103 before a 503. */
    EARLY_HINTS(connection -> {
        Replies.send(connection, "HTTP/1.1 103 Early Hints\r\n\r\n");
        return Replies.status(503, Fault.BODY).to(connection);
    }),

    /** A failure with a body of many MB. */
    GIANT_FAILURE(connection -> {
        int megabytes = 5;
        Replies.send(connection, Replies.head(503, megabytes << 20));
        byte[] part = new byte[1 << 20];
        for (int i = 0; i < megabytes; i++) connection.getOutputStream().write(part);
        return true;
    }),

    /** A redirect to a path that does what comes next. */
    REDIRECT(Replies.status(302, Fault.BODY, "Location: /next"));

    static final long PAUSE_MILLIS = 2_300;

    /** The body of each whole response. */
    public static final String BODY = "There was an old man of Thermopylae, who never did anything properly.";

    private final Reply reply;
    private final boolean readsFirst;

    Fault(Reply reply) {
        this(reply, true);
    }

    Fault(Reply reply, boolean readsFirst) {
        this.reply = reply;
        this.readsFirst = readsFirst;
    }

    @Override
    public boolean to(Socket connection) throws IOException {
        return reply.to(connection);
    }

    @Override
    public boolean readsFirst() {
        return readsFirst;
    }

    /** A head of {@code status}, and the first part of the body that it announces. */
    private static String beginning(int status) {
        return Replies.head(status, BODY.length()) + BODY.substring(0, 10);
    }

    /** The head of a good body, then its bytes one by one. */
    private static String[] trickle() {
        List<String> parts = new ArrayList<>(List.of(Replies.head(200, BODY.length())));
        for (char each : BODY.toCharArray()) parts.add(String.valueOf(each));
        return parts.toArray(String[]::new);
    }

    /** Sends {@code text}, and nothing more. */
    private static Reply stalling(String text) {
        return connection -> {
            Replies.send(connection, text);
            return Replies.untilClientGoes(connection);
        };
    }
}
