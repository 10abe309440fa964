package dev.reprise.faults;

import java.io.IOException;
import java.net.Socket;

/** What a {@link FaultServer} does with a connection on which a request has come. */
@FunctionalInterface
public interface Reply {
    /** Answers the request, or fails to. Returns whether the connection goes on. */
    boolean to(Socket connection) throws IOException;

    /** Whether the request is read before this is done. */
    default boolean readsFirst() {
        return true;
    }
}
