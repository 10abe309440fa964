package dev.reprise.jdkhttp;

import static dev.reprise.faults.Replies.status;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.reprise.core.Backoff;
import dev.reprise.core.Hedge;
import dev.reprise.core.RetryEvent;
import dev.reprise.core.RetryPolicy;
import dev.reprise.faults.FaultServer;
import dev.reprise.faults.Reply;
import dev.reprise.faults.Script;
import dev.reprise.java.JavaRetrier;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A client that is closed")
@Timeout(60)
class CloseTest {
    private static final RetryPolicy SLOW = RetryPolicy.HTTP.toBuilder()
            .backoff(Backoff.fixed(Duration.ofHours(1)))
            .build();

    private final CountDownLatch scheduled = new CountDownLatch(1);
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);

    private RetryingHttpClient client() {
        return client(SLOW.getBackoff());
    }

    private RetryingHttpClient client(Backoff backoff) {
        HttpClient plain =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        return RetryingHttpClient.around(plain)
                .policy(SLOW.toBuilder().backoff(backoff).build())
                .listener(event -> {
                    if (event instanceof RetryEvent.RetryScheduled) scheduled.countDown();
                })
                .build();
    }

    /** What a call on a thread of its own ends with, its body or its failure: it leaves no interrupt behind. */
    private static CompletableFuture<Object> endOf(Face face, HttpClient client, FaultServer server) {
        HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return face.send(client, request, BodyHandlers.ofString())
                                .body();
                    } catch (Exception e) {
                        return Thread.interrupted() ? "interrupted" : e;
                    }
                },
                work -> new Thread(work).start());
    }

    /** The same, of a call whose client is closed once {@code reached} is. */
    private Object closedAt(CountDownLatch reached, Face face, RetryingHttpClient client, FaultServer server)
            throws Exception {
        CompletableFuture<Object> end = endOf(face, client, server);
        reached.await();
        client.close();
        closed.countDown();
        return end.get(60, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("ends waits at once")
    void endsWaits(Face face) throws Exception {
        try (FaultServer server = new FaultServer(status(503, "busy"))) {
            Object end = closedAt(scheduled, face, client(), server);

            assertEquals(
                    "the client was closed",
                    assertInstanceOf(IOException.class, end).getMessage());
            assertEquals(1, server.requests().size());
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("ends a call whose attempt is under way before its next wait")
    void endsLater(Face face) throws Exception {
        try (FaultServer server = new FaultServer(closingIn(0, status(503, "busy")))) {
            assertInstanceOf(IOException.class, closedAt(asked, face, client(), server));
            assertEquals(1, server.requests().size());
        }
    }

    @Test
    @DisplayName("leaves its thread the interrupt that came before the close")
    void keepsInterrupt() throws Exception {
        AtomicReference<RetryingHttpClient> client = new AtomicReference<>();
        client.set(RetryingHttpClient.around(HttpClient.newHttpClient())
                .policy(SLOW)
                .listener(event -> {
                    if (!(event instanceof RetryEvent.RetryScheduled)) return;
                    Thread.currentThread().interrupt();
                    client.get().close();
                })
                .build());
        try (FaultServer server = new FaultServer(status(503, "busy"))) {
            Object end = endOf(Face.SYNC, client.get(), server).get(60, TimeUnit.SECONDS);

            assertInstanceOf(InterruptedException.class, end);
        }
    }

    /** As many 503s as {@code first} says, then {@code reply}, once its request is there and the client closed. */
    private Script closingIn(int first, Reply reply) {
        return (number, request) -> connection -> {
            if (number < first) return status(503, "busy").to(connection);
            asked.countDown();
            await(closed);
            return reply.to(connection);
        };
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("leaves alone the attempt under way, also of a call that has waited")
    void sparesRetry(Face face) throws Exception {
        try (FaultServer server = new FaultServer(closingIn(1, status(200, "there")))) {
            assertEquals("there", closedAt(asked, face, client(Backoff.IMMEDIATE), server));
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("ends at once the wait after a retry that was under way")
    void endsLaterWait(Face face) throws Exception {
        Backoff longLater = Backoff.custom(retry -> retry.getRetryIndex() == 0 ? Duration.ZERO : Duration.ofHours(1));
        try (FaultServer server = new FaultServer(closingIn(1, status(503, "busy")))) {
            assertInstanceOf(IOException.class, closedAt(asked, face, client(longLater), server));
            assertEquals(2, server.requests().size());
        }
    }

    @Test
    @DisplayName("leaves alone the attempt under way, with the copy that it gets after the close")
    void sparesCopies() throws Exception {
        CountDownLatch copied = new CountDownLatch(1);
        Script script = (number, request) -> connection -> {
            (number == 0 ? asked : copied).countDown();
            await(copied);
            return status(200, "there").to(connection);
        };
        RetryPolicy hedged = RetryPolicy.HTTP.toBuilder()
                .hedge(Hedge.after(Duration.ofMillis(300), 1.0))
                .build();
        try (FaultServer server = new FaultServer(script)) {
            RetryingHttpClient client = RetryingHttpClient.around(HttpClient.newHttpClient())
                    .policy(hedged)
                    .build();
            assertEquals("there", closedAt(asked, Face.ASYNC, client, server));
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("says so to a call that is just beginning")
    void saysSo(Face face) throws Exception {
        try (FaultServer server = new FaultServer(status(200, "there"))) {
            AtomicReference<RetryingHttpClient> client = new AtomicReference<>();
            client.set(RetryingHttpClient.around(HttpClient.newHttpClient())
                    .retriers(request -> {
                        client.get().close();
                        return JavaRetrier.of(SLOW);
                    })
                    .build());

            assertInstanceOf(
                    IOException.class, endOf(face, client.get(), server).get(60, TimeUnit.SECONDS));
            assertEquals(0, server.requests().size());
        }
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("sends nothing any more")
    void sendsNothing(Face face) throws Exception {
        try (FaultServer server = new FaultServer(status(200, "there"))) {
            RetryingHttpClient client = client();
            client.close();
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();

            PushPromiseHandler<String> pushes =
                    PushPromiseHandler.of(pushed -> BodyHandlers.ofString(), new ConcurrentHashMap<>());

            assertInstanceOf(IOException.class, endOf(face, client, server).get(60, TimeUnit.SECONDS));
            var pushed = client.sendAsync(request, BodyHandlers.ofString(), pushes);
            assertInstanceOf(
                    IOException.class,
                    assertThrows(ExecutionException.class, pushed::get).getCause());
            assertEquals(0, server.requests().size());
        }
    }
}
