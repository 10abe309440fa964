import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;

/** A server on loopback that fails every other request, beginning with the first. */
final class Flaky implements AutoCloseable {
    private final AtomicInteger requests = new AtomicInteger();
    private final HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);

    Flaky() throws IOException {
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            exchange.getResponseHeaders().add("Content-Type", "application/x-amz-json-1.0");
            byte[] body = "{}".getBytes();
            exchange.sendResponseHeaders(requests.incrementAndGet() % 2 == 1 ? 503 : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    int requests() {
        return requests.get();
    }

    @Override
    public void close() {
        server.stop(0);
    }

    static void check(boolean isTrue, Object seen) {
        if (!isTrue) throw new AssertionError(seen);
    }
}
