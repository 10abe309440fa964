package dev.reprise.jdkhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.reprise.core.RetryPolicy;
import dev.reprise.core.RetryTrace;
import dev.reprise.core.StopReason;
import dev.reprise.faults.FaultServer;
import dev.reprise.faults.Replies;
import dev.reprise.faults.Reply;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;

/** Failures that come again each time are the call's end; a tunnel that is refused for now is asked for again. */
class SurelyAgainTest {
    private static final RetryPolicy POLICY =
            RetryPolicy.HTTP.toBuilder().noBackoff().noQuota().build();

    @Test
    void aRedirectToNowhereIsFinal() throws Exception {
        assertFinal(Replies.status(302, ""));
    }

    @Test
    void a204WithALengthIsFinal() throws Exception {
        assertFinal(Replies.status(204, "hello"));
    }

    @Test
    void aProxysRefusalIsFinal() throws Exception {
        assertEquals(1, tunnels(403, "GET"));
        assertEquals(3, tunnels(502, "GET"));
        assertEquals(3, tunnels(503, "POST"));
    }

    private static void assertFinal(Reply reply) throws Exception {
        try (FaultServer server = new FaultServer(reply)) {
            HttpClient below = HttpClient.newBuilder()
                    .followRedirects(HttpClient.Redirect.NORMAL)
                    .build();
            RetryingHttpClient client =
                    RetryingHttpClient.around(below).policy(POLICY).build();
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            IOException thrown = assertThrows(IOException.class, () -> client.send(request, BodyHandlers.ofString()));
            assertEquals(1, server.requests().size());
            assertEquals(StopReason.REJECTED, RetryTrace.of(thrown).getReason());
        }
    }

    /** How many tunnels a request asks for at a proxy that answers each with {@code status}. */
    private static int tunnels(int status, String method) {
        try (FaultServer proxy = new FaultServer(Replies.statusAndClose(status, "no"))) {
            HttpClient below = HttpClient.newBuilder()
                    .proxy(ProxySelector.of(
                            new InetSocketAddress("127.0.0.1", proxy.uri().getPort())))
                    .build();
            RetryingHttpClient client =
                    RetryingHttpClient.around(below).policy(POLICY).build();
            HttpRequest request = HttpRequest.newBuilder(URI.create("https://example.com/"))
                    .method(method, HttpRequest.BodyPublishers.ofString("x"))
                    .build();
            assertThrows(IOException.class, () -> client.send(request, BodyHandlers.ofString()));
            return proxy.requests().size();
        }
    }
}
