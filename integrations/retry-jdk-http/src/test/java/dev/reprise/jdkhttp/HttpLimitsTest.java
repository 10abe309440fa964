package dev.reprise.jdkhttp;

import static dev.reprise.faults.Replies.stall;
import static dev.reprise.faults.Replies.stallAfter;
import static dev.reprise.faults.Replies.status;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.AttemptTimeoutException;
import dev.reprise.core.Backoff;
import dev.reprise.core.ErrorRule;
import dev.reprise.core.ErrorTable;
import dev.reprise.core.FailureKind;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.RetryTrace;
import dev.reprise.core.Statuses;
import dev.reprise.core.shell.http.Crc32Check;
import dev.reprise.faults.FaultServer;
import dev.reprise.faults.Reply;
import dev.reprise.java.JavaRetrier;
import dev.reprise.java.JavaWaiter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Limits, trace and cancellation hold until the body is there")
@Timeout(60)
class HttpLimitsTest {
    private static final HttpClient PLAIN =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final RetryPolicy QUICK = RetryPolicy.HTTP.toBuilder()
            .backoff(Backoff.fixed(Duration.ofMillis(10)))
            .build();
    private static final RetryPolicy LIMITED =
            QUICK.toBuilder().attemptTimeout(Duration.ofMillis(300)).build();
    private static final Duration LONG = Duration.ofMinutes(1);

    private FaultServer server;

    @AfterEach
    void stop() {
        if (server != null) server.close();
    }

    private HttpRequest get() {
        return HttpRequest.newBuilder(server.uri()).build();
    }

    private static HttpClient client(RetryPolicy policy) {
        return RetryingHttpClient.around(PLAIN).policy(policy).build();
    }

    private HttpResponse<String> send(Face face, RetryPolicy policy) throws Exception {
        return face.send(client(policy), get(), BodyHandlers.ofString());
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("of a failure that ends the call and whose body stalls")
    void limitsLastBody(Face face) throws Exception {
        for (String[] headers : List.of(new String[0], new String[] {"Retry-After: 9999"})) {
            server = new FaultServer(stallAfter(503, "begin", headers));
            long began = System.nanoTime();

            HttpTimeoutException thrown = assertThrows(HttpTimeoutException.class, () -> send(face, LIMITED));

            assertTrue(System.nanoTime() - began < TimeUnit.SECONDS.toNanos(30));
            assertNotNull(RetryTrace.of(thrown));
            assertTrue(server.awaitHangUp());
            server.close();
        }
    }

    /** A client whose attempts take as long as the replies of its server let pass, which is no time of a machine's. */
    private static HttpClient client(AtomicLong passed) {
        JavaRetrier retrier = JavaRetrier.builder(
                        QUICK.toBuilder().attemptTimeout(LONG).build())
                .clock(() -> System.nanoTime() + passed.get())
                .waiter(JavaWaiter.SYSTEM)
                .build();
        return RetryingHttpClient.around(PLAIN).retriers(request -> retrier).build();
    }

    private static Reply after(Duration time, AtomicLong passed, Reply reply) {
        return connection -> {
            passed.addAndGet(time.toNanos());
            return reply.to(connection);
        };
    }

    /** Sends a POST, and returns the timeout with which its attempt ends. */
    private HttpTimeoutException postTimesOut(Face face, AtomicLong passed) {
        HttpRequest post = HttpRequest.newBuilder(server.uri())
                .POST(BodyPublishers.ofString("pay"))
                .build();
        HttpTimeoutException thrown = assertThrows(
                HttpTimeoutException.class, () -> face.send(client(passed), post, BodyHandlers.ofString()));
        assertNotNull(RetryTrace.of(thrown));
        assertInstanceOf(AttemptTimeoutException.class, thrown.getCause());
        return thrown;
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("of a POST's failure too")
    void limitsPost(Face face) throws Exception {
        AtomicLong passed = new AtomicLong();
        server = new FaultServer(after(LONG.minusMillis(100), passed, stallAfter(503, "begin")));

        postTimesOut(face, passed);

        assertEquals(1, server.requests().size());
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a response that comes after them, and before a timer has said so, is that of a timeout, and retried")
    void retriesLateResponse(Face face) throws Exception {
        AtomicLong passed = new AtomicLong();
        server = new FaultServer(after(LONG, passed, stallAfter(200, "begin")), status(200, "second"));

        HttpResponse<String> response = face.send(client(passed), get(), BodyHandlers.ofString());

        assertEquals("second", response.body());
        assertEquals(2, server.requests().size());
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("such a response of a request that may not be repeated is the timeout of its attempt")
    void failsWithLateResponse(Face face) throws Exception {
        AtomicLong passed = new AtomicLong();
        server = new FaultServer(after(LONG, passed, status(200, "late")));

        HttpTimeoutException thrown = postTimesOut(face, passed);

        assertEquals("attempt 1 took longer than 60s", thrown.getMessage());
        assertEquals(1, server.requests().size());
    }

    @Test
    @DisplayName("whoever completes the future from outside stops the call and frees its connection")
    void stopsWhenCompleted() throws Exception {
        List<Consumer<CompletableFuture<HttpResponse<String>>>> ways = List.of(
                future -> future.cancel(true),
                future -> future.orTimeout(50, TimeUnit.MILLISECONDS),
                future -> future.completeOnTimeout(null, 50, TimeUnit.MILLISECONDS),
                future -> future.complete(null),
                future -> future.completeAsync(() -> null),
                future -> future.completeExceptionally(new IOException("enough")),
                future -> future.thenApply(HttpResponse::body).cancel(true),
                future -> future.thenApply(HttpResponse::body)
                        .thenAccept(body -> {})
                        .cancel(true));
        for (var way : ways) {
            server = new FaultServer(stall(), status(200, "second"));
            CompletableFuture<HttpResponse<String>> future = client(QUICK).sendAsync(get(), BodyHandlers.ofString());
            while (server.requests().isEmpty()) Thread.onSpinWait();

            way.accept(future);

            assertTrue(server.awaitHangUp());
            assertEquals(1, server.requests().size());
            server.close();
        }
    }

    @Test
    @DisplayName("a future that is cancelled while the last failure's body stalls frees its connection")
    void stopsInLastBody() throws Exception {
        server = new FaultServer(stallAfter(503, "begin", "Retry-After: 9999"));
        CompletableFuture<HttpResponse<String>> future = client(QUICK).sendAsync(get(), BodyHandlers.ofString());
        while (server.requests().isEmpty()) Thread.onSpinWait();

        future.cancel(true);

        assertTrue(server.awaitHangUp());
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("rules about messages and checksums see the body, and the caller gets it whole")
    void judgesBodies(Face face) throws Exception {
        RetryPolicy byMessage = QUICK.toBuilder()
                .classifier(
                        new ErrorTable(new ErrorRule(FailureKind.THROTTLING, Set.of(), Statuses.of(400), "slow down")))
                .build();
        server = new FaultServer(
                status(400, "{\"message\": \"please slow down\"}"), status(400, "{\"message\": \"no\"}"));
        assertEquals("{\"message\": \"no\"}", send(face, byMessage).body());
        assertEquals(2, server.requests().size());
        server.close();

        CRC32 sum = new CRC32();
        sum.update("whole".getBytes(StandardCharsets.UTF_8));
        String header = "x-amz-crc32: " + sum.getValue();
        RetryPolicy byChecksum =
                QUICK.toBuilder().classifyFirst(new Crc32Check()).build();
        server = new FaultServer(status(200, "whOle", header), status(200, "whole", header));
        assertEquals("whole", send(face, byChecksum).body());
        assertEquals(2, server.requests().size());
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a body that is longer than what the policy looks at is delivered whole")
    void deliversLongBodies(Face face) throws Exception {
        String code = "<Code>SlowDown</Code>" + "x".repeat(300_000);
        server = new FaultServer(status(400, code));
        HttpClient client = RetryingHttpClient.around(PLAIN)
                .policy(QUICK)
                .errorBodyBytes(100)
                .build();

        assertEquals(code, face.send(client, get(), BodyHandlers.ofString()).body());

        assertEquals(3, server.requests().size());
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("an iterable that can be gone through once is sent once")
    void sendsIterablesOnce(Face face) throws Exception {
        server = new FaultServer(status(503, "busy"), status(200, "done"));
        Iterator<byte[]> bytes = List.of("pay".getBytes(StandardCharsets.UTF_8)).iterator();
        Iterable<byte[]> once = () -> bytes;
        HttpRequest put = HttpRequest.newBuilder(server.uri())
                .PUT(BodyPublishers.ofByteArrays(once))
                .build();

        assertEquals(503, face.send(client(QUICK), put, BodyHandlers.ofString()).statusCode());
        assertEquals("pay", server.requests().get(0).body());
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a stream that a redirect asks for again ends the call, and says how to have it sent")
    void tellsOfReplayableBody(Face face) throws Exception {
        HttpClient following = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NORMAL)
                .build();
        HttpClient client = RetryingHttpClient.around(following).policy(QUICK).build();
        BodyPublisher stream = BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(new byte[1]));
        server = new FaultServer(status(307, "", "Location: /"), status(200, "done"));
        HttpRequest.Builder put = HttpRequest.newBuilder(server.uri());

        IOException thrown = assertThrows(
                IOException.class, () -> face.send(client, put.PUT(stream).build(), BodyHandlers.ofString()));

        assertTrue(thrown.getMessage().contains("wrap it in ReplayableBody"), thrown.getMessage());
        server.close();
        server = new FaultServer(status(307, "", "Location: /"), status(200, "done"));
        HttpRequest again = HttpRequest.newBuilder(server.uri())
                .PUT(ReplayableBody.of(stream))
                .build();
        assertEquals(200, face.send(client, again, BodyHandlers.ofString()).statusCode());
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a body that can be sent once is still there after a refused connection")
    void sendsUnopenedLater(Face face) throws Exception {
        AtomicInteger opened = new AtomicInteger();
        HttpRequest put = HttpRequest.newBuilder(FaultServer.refused())
                .PUT(BodyPublishers.ofInputStream(() -> {
                    opened.incrementAndGet();
                    return new ByteArrayInputStream(new byte[1]);
                }))
                .build();

        IOException thrown =
                assertThrows(IOException.class, () -> face.send(client(QUICK), put, BodyHandlers.ofString()));

        assertEquals(3, RetryTrace.of(thrown).getAttempts());
        assertEquals(0, opened.get());
    }
}
