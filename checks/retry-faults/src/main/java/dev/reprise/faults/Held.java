package dev.reprise.faults;

/** A body that the caller reads as it comes, after the head. */
public enum Held {
    /** A stream of server-sent events; the caller reads the data of the first. */
    EVENTS {
        @Override
        Reply reply(Seen request) {
            String head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
            return connection -> {
                Replies.pausing(Fault.PAUSE_MILLIS, head, "data: " + Fault.BODY + "\n\n")
                        .to(connection);
                return false;
            };
        }
    },

    /** A web socket; the caller reads the first message. */
    SOCKET {
        @Override
        Reply reply(Seen request) {
            return WebSockets.sending(request, Fault.BODY, Fault.PAUSE_MILLIS);
        }
    };

    /** Accepts {@code request}. Pauses for longer than an attempt may take before the caller's bytes. */
    abstract Reply reply(Seen request);
}
