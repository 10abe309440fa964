package dev.reprise.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Level;
import java.util.logging.Logger;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;

/** A server that speaks HTTP/2 over TLS and does one fault before it answers well. */
final class Http2Server implements Scene {
    /** The server's own; quiet about streams that end as intended. */
    private static final Logger LOG = Logger.getLogger("okhttp3.OkHttpClient");

    private static final int MOST_REQUESTS = 8;

    private final MockWebServer server = new MockWebServer();
    private final List<String> bodies = new CopyOnWriteArrayList<>();

    Http2Server(MockResponse fault) {
        LOG.setLevel(Level.OFF);
        server.useHttps(Certificates.server().sslSocketFactory());
        server.enqueue(fault);
        for (int i = 0; i < MOST_REQUESTS; i++)
            server.enqueue(response(200, Fault.BODY).build());
        try {
            server.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static MockResponse.Builder response(int status, String body) {
        return new MockResponse.Builder().code(status).body(body);
    }

    @Override
    public URI uri() {
        return server.url("/").uri();
    }

    @Override
    public List<String> bodies() {
        try {
            while (bodies.size() < server.getRequestCount()) {
                RecordedRequest request = server.takeRequest();
                bodies.add(request.getBody() == null ? "" : request.getBody().utf8());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return bodies;
    }

    @Override
    public void close() {
        server.close();
    }
}
