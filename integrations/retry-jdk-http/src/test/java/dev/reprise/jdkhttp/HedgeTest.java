package dev.reprise.jdkhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.Backoff;
import dev.reprise.core.Hedge;
import dev.reprise.core.RetryPolicy;
import dev.reprise.faults.FaultServer;
import dev.reprise.faults.Replies;
import dev.reprise.faults.Reply;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What of hedging is this client's own. What all HTTP clients have in common stands in checks/retry-conformance. */
@DisplayName("Two executions at once")
@Timeout(60)
class HedgeTest {
    private static final RetryPolicy POLICY = RetryPolicy.HTTP.toBuilder()
            .hedge(Hedge.after(Duration.ofMillis(1), 1.0))
            .backoff(Backoff.IMMEDIATE)
            .build();

    private final CountDownLatch both = new CountDownLatch(2);

    /** {@code reply}, to both requests in the same moment. */
    private FaultServer serverOf(Reply reply) {
        return new FaultServer((number, request) -> connection -> {
            both.countDown();
            try {
                both.await(20, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return reply.to(connection);
        });
    }

    private static <T> T send(FaultServer server, BodyHandler<T> handler) {
        RetryingHttpClient client = RetryingHttpClient.around(HttpClient.newHttpClient())
                .policy(POLICY)
                .build();
        return client.sendAsync(HttpRequest.newBuilder(server.uri()).build(), handler)
                .orTimeout(30, TimeUnit.SECONDS)
                .join()
                .body();
    }

    @RepeatedTest(20)
    @DisplayName("give the caller's code one body")
    void deliverOnce() {
        AtomicInteger mapped = new AtomicInteger();
        try (FaultServer server = serverOf(Replies.statusAndClose(200, "there"))) {
            String body = send(
                    server,
                    RetryBodyHandlers.mapping(BodyHandlers.ofString(), text -> text + mapped.incrementAndGet()));
            assertEquals("there1", body);
            assertEquals(2, server.requests().size());
        }
        assertEquals(1, mapped.get());
    }

    @RepeatedTest(20)
    @DisplayName("end with what the caller's code throws, and no other attempt follows")
    void failOnce() {
        AtomicInteger mapped = new AtomicInteger();
        // A type that the policy would retry, from a server.
        RuntimeException broken = new java.io.UncheckedIOException(new java.net.SocketTimeoutException("mine"));
        try (FaultServer server = serverOf(Replies.statusAndClose(200, "there"))) {
            CompletionException thrown = assertThrows(
                    CompletionException.class,
                    () -> send(server, RetryBodyHandlers.mapping(BodyHandlers.ofString(), text -> {
                        mapped.incrementAndGet();
                        throw broken;
                    })));
            assertTrue(hasCause(thrown, broken), () -> "" + thrown);
            assertEquals(2, server.requests().size());
        }
        assertEquals(1, mapped.get());
    }

    private static boolean hasCause(Throwable thrown, Throwable cause) {
        for (Throwable next = thrown; next != null; next = next.getCause()) if (next == cause) return true;
        return false;
    }

    @Test
    @DisplayName("are made where every subscriber starts afresh, and nowhere else")
    void handlers() {
        assertTrue(FreshBodies.areFresh(BodyHandlers.ofString()));
        assertTrue(FreshBodies.areFresh(BodyHandlers.ofString(java.nio.charset.StandardCharsets.ISO_8859_1)));
        assertTrue(FreshBodies.areFresh(BodyHandlers.ofByteArray()));
        assertTrue(FreshBodies.areFresh(BodyHandlers.discarding()));
        assertTrue(FreshBodies.areFresh(BodyHandlers.replacing("other")));
        assertTrue(FreshBodies.areFresh(RetryBodyHandlers.repeatable(BodyHandlers.ofLines())));
        assertTrue(FreshBodies.areFresh(RetryBodyHandlers.mapping(BodyHandlers.ofString(), text -> text)));
        assertFalse(FreshBodies.areFresh(RetryBodyHandlers.mapping(BodyHandlers.ofLines(), lines -> lines)));
        assertFalse(FreshBodies.areFresh(BodyHandlers.ofInputStream()));
        assertFalse(FreshBodies.areFresh(BodyHandlers.ofLines()));
        assertFalse(FreshBodies.areFresh(BodyHandlers.ofPublisher()));
        assertFalse(FreshBodies.areFresh(BodyHandlers.buffering(BodyHandlers.ofString(), 10)));
        BodyHandler<String> own = info -> BodyHandlers.ofString().apply(info);
        assertFalse(FreshBodies.areFresh(own));
    }
}
