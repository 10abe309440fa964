package dev.reprise.jdkhttp;

import static dev.reprise.faults.Replies.status;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.reprise.core.Backoff;
import dev.reprise.core.Hedge;
import dev.reprise.core.RetryEvent;
import dev.reprise.core.RetryListener;
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

    private RetryingHttpClient client() {
        return client(SLOW.getBackoff());
    }

    private RetryingHttpClient client(Backoff backoff) {
        HttpClient plain =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        return RetryingHttpClient.around(plain)
                .policy(SLOW.toBuilder().backoff(backoff).build())
                .listener(new RetryListener() {
                    @Override
                    public void onEvent(RetryEvent event) {
                        if (event instanceof RetryEvent.RetryScheduled) scheduled.countDown();
                    }
                })
                .build();
    }

    /** What a call on a thread of its own ends with, and whether it left an interrupt behind. */
    private static CompletableFuture<Exception> failureOf(Face face, HttpClient client, HttpRequest request) {
        CompletableFuture<Exception> thrown = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            Exception failure =
                    assertThrows(Exception.class, () -> face.send(client, request, BodyHandlers.ofString()));
            assertFalse(Thread.interrupted());
            thrown.complete(failure);
        });
        caller.start();
        return thrown;
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("ends waits at once")
    void endsWaits(Face face) throws Exception {
        try (FaultServer server = new FaultServer(status(503, "busy"))) {
            RetryingHttpClient client = client();
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            CompletableFuture<Exception> thrown = failureOf(face, client, request);
            scheduled.await();

            client.close();

            Exception failure = thrown.get(60, TimeUnit.SECONDS);
            assertEquals(
                    "the client was closed",
                    assertInstanceOf(IOException.class, failure).getMessage());
            assertEquals(1, server.requests().size());
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("ends a call whose attempt is under way before its next wait")
    void endsLater(Face face) throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(1);
        Script script = (number, request) -> connection -> {
            asked.countDown();
            await(closed);
            return status(503, "busy").to(connection);
        };
        try (FaultServer server = new FaultServer(script)) {
            RetryingHttpClient client = client();
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            CompletableFuture<Exception> thrown = failureOf(face, client, request);
            asked.await();

            client.close();
            closed.countDown();

            assertInstanceOf(IOException.class, thrown.get(60, TimeUnit.SECONDS));
            assertEquals(1, server.requests().size());
        }
    }

    /** A 503, then what {@code second} says, once its request is there and {@code closed}. */
    private static Script closingInSecond(CountDownLatch asked, CountDownLatch closed, Reply second) {
        return (number, request) -> connection -> {
            if (number == 0) return status(503, "busy").to(connection);
            asked.countDown();
            await(closed);
            return second.to(connection);
        };
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("leaves alone the attempt under way, also of a call that has waited")
    void sparesRetry(Face face) throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        try (FaultServer server = new FaultServer(closingInSecond(asked, closed, status(200, "there")))) {
            RetryingHttpClient client = client(Backoff.IMMEDIATE);
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            CompletableFuture<String> body = CompletableFuture.supplyAsync(() -> bodyOf(face, client, request));
            asked.await();

            client.close();
            closed.countDown();

            assertEquals("there", body.get(60, TimeUnit.SECONDS));
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("ends at once the wait after a retry that was under way")
    void endsLaterWait(Face face) throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        Backoff longLater = Backoff.custom(retry -> retry.getRetryIndex() == 0 ? Duration.ZERO : Duration.ofHours(1));
        try (FaultServer server = new FaultServer(closingInSecond(asked, closed, status(503, "busy")))) {
            RetryingHttpClient client = client(longLater);
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            CompletableFuture<Exception> thrown = failureOf(face, client, request);
            asked.await();

            client.close();
            closed.countDown();

            assertInstanceOf(IOException.class, thrown.get(30, TimeUnit.SECONDS));
            assertEquals(2, server.requests().size());
        }
    }

    @Test
    @DisplayName("leaves alone the attempt under way, with the copy that it gets after the close")
    void sparesCopies() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
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
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            CompletableFuture<String> body = CompletableFuture.supplyAsync(() -> bodyOf(Face.ASYNC, client, request));
            asked.await();

            client.close();

            assertEquals("there", body.get(60, TimeUnit.SECONDS));
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
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();

            assertInstanceOf(
                    IOException.class, failureOf(face, client.get(), request).get(60, TimeUnit.SECONDS));
            assertEquals(0, server.requests().size());
        }
    }

    private static String bodyOf(Face face, HttpClient client, HttpRequest request) {
        try {
            return face.send(client, request, BodyHandlers.ofString()).body();
        } catch (Exception e) {
            throw new IllegalStateException(e);
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

            assertInstanceOf(IOException.class, failureOf(face, client, request).get(60, TimeUnit.SECONDS));
            var pushed = client.sendAsync(request, BodyHandlers.ofString(), pushes);
            assertInstanceOf(
                    IOException.class,
                    assertThrows(ExecutionException.class, pushed::get).getCause());
            assertEquals(0, server.requests().size());
        }
    }
}
