package dev.reprise.faults;

import java.io.IOException;
import java.net.Socket;

/** A {@link FaultServer}'s reaction to one request, in place of a plain response. */
public enum Fault implements Reply {
    /** No fault: a whole 200 whose body is {@link #BODY}; the connection stays. */
    NONE {
        @Override
        public boolean to(Socket connection) throws IOException {
            return whole(connection, 200);
        }
    },

    /** A whole 503; the connection stays. */
    UNAVAILABLE {
        @Override
        public boolean to(Socket connection) throws IOException {
            return whole(connection, 503);
        }
    },

    /** A whole 503, after which the server closes the connection, as it says. */
    UNAVAILABLE_AND_CLOSE {
        @Override
        public boolean to(Socket connection) throws IOException {
            whole(connection, 503, "Connection: close");
            return false;
        }
    },

    /**
     * A whole 200, after which the server closes a connection that the client may keep: the next request finds it
     * stale.
     */
    STALE_KEEP_ALIVE {
        @Override
        public boolean to(Socket connection) throws IOException {
            whole(connection, 200);
            return false;
        }
    },

    /** A reset before the request is read. */
    RESET_BEFORE_READING {
        @Override
        public boolean to(Socket connection) throws IOException {
            return Replies.reset().to(connection);
        }

        @Override
        public boolean readsFirst() {
            return false;
        }
    },

    /** A connection that stays, and of whose request only the first byte is read. */
    UNREAD {
        @Override
        public boolean to(Socket connection) throws IOException {
            while (!connection.isClosed()) Replies.pause(5);
            return false;
        }

        @Override
        public boolean readsFirst() {
            return false;
        }
    },

    /** A reset once the request is read. */
    RESET {
        @Override
        public boolean to(Socket connection) throws IOException {
            return Replies.reset().to(connection);
        }
    },

    /** The end of the connection instead of a response. */
    HANG_UP {
        @Override
        public boolean to(Socket connection) {
            return false;
        }
    },

    /** The server ends its half of the connection and keeps the other open. */
    HALF_CLOSE {
        @Override
        public boolean to(Socket connection) throws IOException {
            connection.shutdownOutput();
            return Replies.untilClientGoes(connection);
        }
    },

    /** The first half of a head. */
    CUT_HEAD {
        @Override
        public boolean to(Socket connection) throws IOException {
            Replies.send(connection, "HTTP/1.1 200 OK\r\nContent-Le");
            return false;
        }
    },

    /** No status line at all. */
    GARBAGE_STATUS {
        @Override
        public boolean to(Socket connection) throws IOException {
            Replies.send(connection, "HTTP/1.1 what is this\r\n\r\n");
            return false;
        }
    },

    /** The first half of a head, and nothing more. */
    SLOW_HEAD {
        @Override
        public boolean to(Socket connection) throws IOException {
            Replies.send(connection, "HTTP/1.1 200 OK\r\n");
            return Replies.untilClientGoes(connection);
        }
    },

    /** The head and the beginning of a good body, and nothing more. */
    STALLED_BODY {
        @Override
        public boolean to(Socket connection) throws IOException {
            Replies.send(connection, Replies.head(200, BODY.length()) + BODY.substring(0, 10));
            return Replies.untilClientGoes(connection);
        }
    },

    /** A good body that pauses for longer than an attempt may take. */
    PAUSING_BODY {
        @Override
        public boolean to(Socket connection) throws IOException {
            String head = Replies.head(200, BODY.length());
            return Replies.pausing(PAUSE_MILLIS, head + BODY.substring(0, 10), BODY.substring(10))
                    .to(connection);
        }
    },

    /** A stream of events: its length is unknown, and its first silence longer than an attempt may take. */
    EVENT_STREAM {
        @Override
        public boolean to(Socket connection) throws IOException {
            String head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
            Replies.pausing(PAUSE_MILLIS, head, BODY).to(connection);
            return false;
        }
    },

    /** The head and the beginning of a failure's body, and nothing more. */
    STALLED_FAILURE {
        @Override
        public boolean to(Socket connection) throws IOException {
            Replies.send(connection, Replies.head(503, BODY.length()) + BODY.substring(0, 10));
            return Replies.untilClientGoes(connection);
        }
    },

    /** A body that ends before its length is reached. */
    CUT_BODY {
        @Override
        public boolean to(Socket connection) throws IOException {
            Replies.send(connection, Replies.head(200, BODY.length()) + BODY.substring(0, 10));
            return false;
        }
    },

    /** A chunk whose length is no number. */
    BAD_CHUNK {
        @Override
        public boolean to(Socket connection) throws IOException {
            Replies.send(connection, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nwhat\r\n");
            return false;
        }
    },

    /** Chunks without the last one. */
    CUT_CHUNKS {
        @Override
        public boolean to(Socket connection) throws IOException {
            Replies.send(connection, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
            return false;
        }
    },

    /** An interim 103 before a 503. */
    EARLY_HINTS {
        @Override
        public boolean to(Socket connection) throws IOException {
            Replies.send(connection, "HTTP/1.1 103 Early Hints\r\n\r\n");
            return whole(connection, 503);
        }
    },

    /** A failure with a body of many MB. */
    GIANT_FAILURE {
        @Override
        public boolean to(Socket connection) throws IOException {
            int megabytes = 5;
            Replies.send(connection, Replies.head(503, megabytes << 20));
            byte[] part = new byte[1 << 20];
            for (int i = 0; i < megabytes; i++) connection.getOutputStream().write(part);
            return true;
        }
    },

    /** A redirect to a path that does what comes next. */
    REDIRECT {
        @Override
        public boolean to(Socket connection) throws IOException {
            return whole(connection, 302, "Location: /next");
        }
    };

    static final long PAUSE_MILLIS = 2_300;

    /** The body of each whole response. */
    public static final String BODY = "There was an old man of Thermopylae, who never did anything properly.";

    private static boolean whole(Socket connection, int status, String... headers) throws IOException {
        return Replies.status(status, BODY, headers).to(connection);
    }
}
