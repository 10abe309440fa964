package dev.reprise.faults;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** What a {@link FaultServer} does with one request, in place of a plain response. */
public enum Fault {
    /** No fault: a whole 200 whose body is {@link #BODY}; the connection stays. */
    NONE {
        @Override
        boolean answer(Socket connection) throws IOException {
            return whole(connection, 200, "");
        }
    },

    /** A whole 503; the connection stays. */
    UNAVAILABLE {
        @Override
        boolean answer(Socket connection) throws IOException {
            return whole(connection, 503, "");
        }
    },

    /** A whole 503, after which the server closes the connection, as it says. */
    UNAVAILABLE_AND_CLOSE {
        @Override
        boolean answer(Socket connection) throws IOException {
            whole(connection, 503, "Connection: close\r\n");
            return false;
        }
    },

    /**
     * A whole 200, after which the server closes a connection that the client may keep: the next request finds it
     * stale.
     */
    STALE_KEEP_ALIVE {
        @Override
        boolean answer(Socket connection) throws IOException {
            whole(connection, 200, "");
            return false;
        }
    },

    /** A reset before the request is read. */
    RESET_BEFORE_READING {
        @Override
        boolean answer(Socket connection) throws IOException {
            return reset(connection);
        }
    },

    /** A reset once the request is read. */
    RESET {
        @Override
        boolean answer(Socket connection) throws IOException {
            return reset(connection);
        }
    },

    /** The end of the connection instead of a response. */
    HANG_UP {
        @Override
        boolean answer(Socket connection) {
            return false;
        }
    },

    /** The server ends its half of the connection and keeps the other open. */
    HALF_CLOSE {
        @Override
        boolean answer(Socket connection) throws IOException {
            connection.shutdownOutput();
            return stall(connection);
        }
    },

    /** The first half of a head. */
    CUT_HEAD {
        @Override
        boolean answer(Socket connection) throws IOException {
            send(connection, "HTTP/1.1 200 OK\r\nContent-Le");
            return false;
        }
    },

    /** No status line at all. */
    GARBAGE_STATUS {
        @Override
        boolean answer(Socket connection) throws IOException {
            send(connection, "HTTP/1.1 what is this\r\n\r\n");
            return false;
        }
    },

    /** The first half of a head, and nothing more. */
    SLOW_HEAD {
        @Override
        boolean answer(Socket connection) throws IOException {
            send(connection, "HTTP/1.1 200 OK\r\n");
            return stall(connection);
        }
    },

    /** The head and the beginning of a good body, and nothing more. */
    STALLED_BODY {
        @Override
        boolean answer(Socket connection) throws IOException {
            send(connection, head(200, BODY.length(), "") + BODY.substring(0, 10));
            return stall(connection);
        }
    },

    /** The head and the beginning of a failure's body, and nothing more. */
    STALLED_FAILURE {
        @Override
        boolean answer(Socket connection) throws IOException {
            send(connection, head(503, BODY.length(), "") + BODY.substring(0, 10));
            return stall(connection);
        }
    },

    /** A body that ends before its length is reached. */
    CUT_BODY {
        @Override
        boolean answer(Socket connection) throws IOException {
            send(connection, head(200, BODY.length(), "") + BODY.substring(0, 10));
            return false;
        }
    },

    /** A chunk whose length is no number. */
    BAD_CHUNK {
        @Override
        boolean answer(Socket connection) throws IOException {
            send(connection, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nwhat\r\n");
            return false;
        }
    },

    /** Chunks without the last one. */
    CUT_CHUNKS {
        @Override
        boolean answer(Socket connection) throws IOException {
            send(connection, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
            return false;
        }
    },

    /** An interim 103 before a 503. */
    EARLY_HINTS {
        @Override
        boolean answer(Socket connection) throws IOException {
            send(connection, "HTTP/1.1 103 Early Hints\r\n\r\n");
            return whole(connection, 503, "");
        }
    },

    /** A failure with a body of many MB. */
    GIANT_FAILURE {
        @Override
        boolean answer(Socket connection) throws IOException {
            int megabytes = 20;
            send(connection, head(503, megabytes << 20, ""));
            byte[] part = new byte[1 << 20];
            for (int i = 0; i < megabytes; i++) connection.getOutputStream().write(part);
            return true;
        }
    },

    /** A redirect to a path that does what comes next. */
    REDIRECT {
        @Override
        boolean answer(Socket connection) throws IOException {
            return whole(connection, 302, "Location: /next\r\n");
        }
    };

    /** The body of each whole response. */
    public static final String BODY = "There was an old man of Thermopylae, who never did anything properly.";

    /** Answers a request on {@code connection}; returns whether that goes on. */
    abstract boolean answer(Socket connection) throws IOException;

    private static boolean whole(Socket connection, int status, String headers) throws IOException {
        send(connection, head(status, BODY.length(), headers) + BODY);
        return true;
    }

    private static String head(int status, int length, String headers) {
        return "HTTP/1.1 " + status + " -\r\nContent-Length: " + length + "\r\n" + headers + "\r\n";
    }

    private static boolean reset(Socket connection) throws IOException {
        connection.setSoLinger(true, 0);
        return false;
    }

    /** Until the client goes. */
    private static boolean stall(Socket connection) throws IOException {
        while (connection.getInputStream().read() >= 0) Thread.onSpinWait();
        return false;
    }

    private static void send(Socket connection, String text) throws IOException {
        OutputStream out = connection.getOutputStream();
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }
}
