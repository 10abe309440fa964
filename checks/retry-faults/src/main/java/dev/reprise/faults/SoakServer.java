package dev.reprise.faults;

import java.net.URI;

/** The server of a {@link Soak}. */
public interface SoakServer extends AutoCloseable {
    /** The start of all addresses. */
    URI uri();

    /** How many requests have come. */
    int served();

    /** How many connections were made. */
    int connections();

    /** How many connections are open now. */
    int openConnections();

    @Override
    void close();
}
