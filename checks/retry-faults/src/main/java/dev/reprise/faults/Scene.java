package dev.reprise.faults;

import java.net.URI;
import java.util.List;

/** A server, or the lack of one, that a client is sent to. */
public interface Scene extends AutoCloseable {
    /** Where the client is sent to. */
    URI uri();

    /** The bodies of the requests that were read, in order; one for each. */
    List<String> bodies();

    @Override
    void close();

    /** An address with no server behind it: connections are refused. */
    static Scene refused() {
        URI uri = FaultServer.refused();
        return new Scene() {
            @Override
            public URI uri() {
                return uri;
            }

            @Override
            public List<String> bodies() {
                return List.of();
            }

            @Override
            public void close() {}
        };
    }
}
