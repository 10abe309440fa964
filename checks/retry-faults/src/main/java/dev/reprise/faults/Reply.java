package dev.reprise.faults;

import java.io.IOException;
import java.net.Socket;

/** A {@link FaultServer}'s reaction on a connection on which a request has come. */
@FunctionalInterface
public interface Reply {
    /** Responds to the request, or fails to. Returns whether the connection stays open. */
    boolean to(Socket connection) throws IOException;

    /** Whether the request is read before this is done. */
    default boolean readsFirst() {
        return true;
    }
}
