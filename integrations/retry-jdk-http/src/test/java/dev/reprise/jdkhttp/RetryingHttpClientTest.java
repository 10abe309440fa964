package dev.reprise.jdkhttp;

import static dev.reprise.faults.Replies.reset;
import static dev.reprise.faults.Replies.status;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.Backoff;
import dev.reprise.core.BadResultException;
import dev.reprise.core.CallOptions;
import dev.reprise.core.FailureKind;
import dev.reprise.core.OnBadResult;
import dev.reprise.core.Repeat;
import dev.reprise.core.RetryEvent;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.RetryTrace;
import dev.reprise.core.StopReason;
import dev.reprise.core.TokenBucketSettings;
import dev.reprise.core.Verdict;
import dev.reprise.core.shell.quota.RetryQuota;
import dev.reprise.faults.Certificates;
import dev.reprise.faults.FaultServer;
import dev.reprise.faults.Seen;
import dev.reprise.java.JavaRetrier;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Authenticator;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.PasswordAuthentication;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A retrying HttpClient")
@Timeout(60)
class RetryingHttpClientTest {
    private static final HttpClient PLAIN =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final RetryPolicy QUICK = RetryPolicy.HTTP.toBuilder()
            .backoff(Backoff.fixed(Duration.ofMillis(30)))
            .build();

    private static final JavaRetrier STANDARD = JavaRetrier.of(RetryPolicy.STANDARD);

    private final List<RetryEvent> events = new CopyOnWriteArrayList<>();
    private FaultServer server;

    @AfterEach
    void stop() {
        if (server != null) server.close();
    }

    private HttpClient client(RetryPolicy policy) {
        return RetryingHttpClient.around(PLAIN)
                .policy(policy)
                .listener(events::add)
                .build();
    }

    private <E extends RetryEvent> E event(Class<E> type) {
        return events.stream()
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @EnumSource(Face.class)
    @DisplayName("around a client that retries does not multiply the attempts, of a response or an exception")
    void nested(Face face) throws Exception {
        HttpClient client = client(QUICK);
        HttpClient outer = RetryingHttpClient.around(client).policy(QUICK).build();
        server = new FaultServer(status(503, "busy"));
        assertEquals(503, face.send(outer, get(), BodyHandlers.ofString()).statusCode());
        assertEquals(503, face.send(outer, get(), BodyHandlers.ofInputStream()).statusCode());
        assertEquals(6, server.requests().size());
        server.close();
        server = new FaultServer(reset());
        assertThrows(IOException.class, () -> face.send(client, get(), BodyHandlers.ofString()));
        // Of its own accord the client below sends each of these twice.
        int alone = server.requests().size();
        assertThrows(IOException.class, () -> face.send(outer, get(), BodyHandlers.ofString()));
        assertEquals(2 * alone, server.requests().size());
    }

    private HttpRequest get() {
        return HttpRequest.newBuilder(server.uri()).build();
    }

    private HttpRequest post(HttpRequest.BodyPublisher body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(server.uri()).POST(body);
        if (headers.length > 0) request.headers(headers);
        return request.build();
    }

    private HttpResponse<String> send(RetryPolicy policy, HttpRequest request) throws Exception {
        return client(policy).send(request, BodyHandlers.ofString());
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("retries failed responses over one connection")
    void retries(Face face) throws Exception {
        server = new FaultServer(status(503, "busy"), status(500, "broken"), status(200, "done"));

        HttpResponse<String> response = face.send(client(QUICK), get(), BodyHandlers.ofString());

        assertEquals("200 done", response.statusCode() + " " + response.body());
        assertEquals(3, server.requests().size());
        assertEquals(1, server.connections());
    }

    @Test
    @DisplayName("returns the last response as it is, body and all")
    void returnsLast() throws Exception {
        server = new FaultServer(status(503, "busy"), status(503, "still"), status(503, "for ever"));

        HttpResponse<String> response = send(QUICK, get());

        assertEquals("503 for ever", response.statusCode() + " " + response.body());
    }

    @Test
    @DisplayName("delivers a body that it had held back when the quota refuses the retry")
    void deliversHeld() throws Exception {
        server = new FaultServer(status(503, "busy"));
        HttpClient client = RetryingHttpClient.around(PLAIN)
                .retriers(request -> JavaRetrier.builder()
                        .policy(QUICK)
                        .quota(new RetryQuota(500, 0))
                        .build())
                .build();

        HttpResponse<String> text = client.send(get(), BodyHandlers.ofString());
        HttpResponse<InputStream> stream =
                client.sendAsync(get(), BodyHandlers.ofInputStream()).get();

        assertEquals("503 busy", text.statusCode() + " " + text.body());
        assertEquals("busy", new String(stream.body().readAllBytes(), StandardCharsets.UTF_8));
        assertEquals(2, server.requests().size());
        assertEquals(1, server.connections());
    }

    @Test
    @DisplayName("throws instead, where the policy says so, and lets go of the body")
    void throwsLast() throws Exception {
        server = new FaultServer(status(503, "busy"));
        RetryPolicy strict =
                QUICK.toBuilder().maxAttempts(2).onBadResult(OnBadResult.THROW).build();

        IOException thrown = assertThrows(IOException.class, () -> send(strict, get()));

        Object result =
                assertInstanceOf(BadResultException.class, thrown.getCause()).getResult();
        assertEquals(503, assertInstanceOf(ResponseOutcome.class, result).getStatus());
    }

    @Test
    @DisplayName(
            "keeps the last response from the handler if the call throws in its place, and uses its connection again")
    void keepsThrown(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("body");
        RetryPolicy once = QUICK.toBuilder().maxAttempts(1).build();
        RetryPolicy strict = once.toBuilder().onBadResult(OnBadResult.THROW).build();
        RetryPolicy broken = once.toBuilder()
                .onResult(result -> {
                    throw new IllegalStateException("broken");
                })
                .build();
        int calls = 10;
        for (RetryPolicy policy : List.of(strict, broken))
            for (HttpResponse.BodyHandler<?> handler : List.of(BodyHandlers.ofFile(file), BodyHandlers.ofPublisher())) {
                server = new FaultServer(status(503, "busy"));
                HttpClient client = client(policy);
                Class<? extends Exception> expected =
                        policy == strict ? IOException.class : IllegalStateException.class;
                for (int i = 0; i < calls; i++) {
                    assertThrows(expected, () -> client.send(get(), handler));
                    // The JDK gives a connection back to its pool on a thread of its own.
                    TimeUnit.MILLISECONDS.sleep(20);
                }

                assertFalse(Files.exists(file));
                assertTrue(server.connections() < calls, "each call took a connection");
                server.close();
            }
    }

    @Test
    @DisplayName("keeps a rejected response's body out of the caller's file")
    void keepsFileClean(@TempDir Path folder) throws Exception {
        server = new FaultServer(status(503, "a long story about why not"), status(200, "done"));
        Path file = folder.resolve("body");

        client(QUICK).send(get(), BodyHandlers.ofFile(file));

        assertEquals("done", Files.readString(file));
    }

    @Test
    @DisplayName("repeats a POST with an idempotency key, with its body")
    void repeatsKeyedPost() throws Exception {
        server = new FaultServer(status(503, "busy"), status(200, "done"));

        send(QUICK, post(BodyPublishers.ofString("pay"), "Idempotency-Key", "17"));

        assertEquals(
                List.of("pay", "pay"),
                server.requests().stream().map(Seen::body).toList());
    }

    @Test
    @DisplayName("repeats a POST that was never sent, because the connection was refused")
    void repeatsUnsentPost() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(FaultServer.refused())
                .POST(BodyPublishers.ofString("pay"))
                .build();

        assertThrows(ConnectException.class, () -> send(QUICK, request));

        assertEquals(3, event(RetryEvent.CallGaveUp.class).getAttempts());
    }

    @Test
    @DisplayName("sends a body that is gone after one attempt once, unless somebody vouches for it")
    void sendsOneShotOnce() throws Exception {
        server = new FaultServer(status(503, "busy"));
        HttpRequest.BodyPublisher stream =
                BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(new byte[] {'x'}));

        send(QUICK, HttpRequest.newBuilder(server.uri()).PUT(stream).build());
        assertEquals(1, server.requests().size());

        send(
                QUICK,
                HttpRequest.newBuilder(server.uri())
                        .PUT(ReplayableBody.of(stream))
                        .build());
        assertEquals(4, server.requests().size());
        assertEquals("x", server.requests().get(3).body());
    }

    @Test
    @DisplayName("sends a body that is gone after one attempt once, whatever its options say")
    void sendsOneShotOnceWhateverIsAsked() throws Exception {
        server = new FaultServer(status(503, "busy"));
        HttpClient client = RetryingHttpClient.around(PLAIN)
                .policy(QUICK)
                .options(request -> CallOptions.builder().repeat(Repeat.SAFE).build())
                .build();
        HttpRequest.BodyPublisher stream =
                BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(new byte[] {'x'}));

        client.send(HttpRequest.newBuilder(server.uri()).PUT(stream).build(), BodyHandlers.discarding());
        assertEquals(1, server.requests().size());

        client.send(post(BodyPublishers.ofString("pay")), BodyHandlers.discarding());
        assertEquals(4, server.requests().size());
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("returns a proxy's demand for credentials, also where it keeps a tunnel from being opened")
    void refusedTunnel(Face face) throws Exception {
        server = new FaultServer(status(407, "", "Proxy-Authenticate: Basic realm=\"here\""));
        InetSocketAddress proxy =
                new InetSocketAddress("127.0.0.1", server.uri().getPort());
        HttpClient through =
                HttpClient.newBuilder().proxy(ProxySelector.of(proxy)).build();
        RetryPolicy patient = QUICK.toBuilder()
                .onResult(any -> new Verdict.Retry(FailureKind.TRANSIENT))
                .build();
        for (String address : List.of("http://far.invalid/", "https://far.invalid/")) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(address)).build();
            for (RetryPolicy policy : List.of(QUICK, patient)) {
                int before = server.requests().size();
                HttpClient client =
                        RetryingHttpClient.around(through).policy(policy).build();

                HttpResponse<InputStream> response = face.send(client, request, BodyHandlers.ofInputStream());

                assertEquals(407, response.statusCode());
                assertEquals(policy == QUICK ? 1 : 3, server.requests().size() - before);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("does not try a certificate again that is not trusted, with whatever retrier")
    void knowsCertificates(Face face) throws Exception {
        server = new FaultServer(Certificates.sockets(), status(200, "there"));
        List<RetryingHttpClient> clients = List.of(
                RetryingHttpClient.of(PLAIN),
                RetryingHttpClient.around(PLAIN).policy(RetryPolicy.STANDARD).build(),
                RetryingHttpClient.around(PLAIN).retriers(request -> STANDARD).build());
        for (RetryingHttpClient client : clients) {
            IOException thrown =
                    assertThrows(IOException.class, () -> face.send(client, get(), BodyHandlers.ofString()));

            assertEquals(StopReason.REJECTED, RetryTrace.of(thrown).getReason());
            assertEquals(1, RetryTrace.of(thrown).getAttempts());
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("tries credentials that are wrong no more often than the client alone")
    void sparesAccounts(Face face) {
        HttpClient authenticating = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .authenticator(new Authenticator() {
                    @Override
                    protected PasswordAuthentication getPasswordAuthentication() {
                        return new PasswordAuthentication("me", "wrong".toCharArray());
                    }
                })
                .build();
        server = new FaultServer(status(401, "", "WWW-Authenticate: Basic realm=\"here\""));
        assertThrows(IOException.class, () -> face.send(authenticating, get(), BodyHandlers.ofString()));
        int alone = server.requests().size();
        HttpClient client =
                RetryingHttpClient.around(authenticating).policy(QUICK).build();

        IOException thrown = assertThrows(IOException.class, () -> face.send(client, get(), BodyHandlers.ofString()));

        assertEquals(StopReason.REJECTED, RetryTrace.of(thrown).getReason());
        assertEquals(2 * alone, server.requests().size());
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("does not repeat a POST that was done when its redirect leads to a refused connection")
    void sparesPostOfRedirects(Face face) {
        HttpClient following = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NORMAL)
                .build();
        HttpClient client = RetryingHttpClient.around(following).policy(QUICK).build();
        for (int status : new int[] {302, 307}) {
            for (String body : List.of("pay", "")) {
                server = new FaultServer(status(status, "", "Location: " + FaultServer.refused()));

                assertThrows(
                        ConnectException.class,
                        () -> face.send(client, post(BodyPublishers.ofString(body)), BodyHandlers.ofString()));

                assertEquals(1, server.requests().size());
                server.close();
            }
        }
    }

    @Test
    @DisplayName("marks attempts, where told to, as AWS SDKs do")
    void amzHeaders() throws Exception {
        server = new FaultServer(status(503, "busy"), status(200, "done"));
        HttpClient client =
                RetryingHttpClient.around(PLAIN).policy(QUICK).amzHeaders(true).build();

        client.send(get(), BodyHandlers.discarding());

        assertEquals("attempt=1; max=3", server.requests().get(0).headers().get("amz-sdk-request"));
        assertEquals("attempt=2; max=3", server.requests().get(1).headers().get("amz-sdk-request"));
        assertEquals(
                1,
                server.requests().stream()
                        .map(seen -> seen.headers().get("amz-sdk-invocation-id"))
                        .distinct()
                        .count());
    }

    @Test
    @DisplayName("calls the retrier of a host by host and port")
    void namesRetriers() throws Exception {
        server = new FaultServer(status(200, "done"));
        Set<String> told = new HashSet<>();
        HttpClient client = RetryingHttpClient.around(HttpClient.newHttpClient())
                .listener(event -> told.add(event.getRetrier()))
                .build();
        client.send(get(), BodyHandlers.discarding());
        assertEquals(Set.of(server.uri().getAuthority()), told);
    }

    @Test
    @DisplayName("keeps a quota for each host and port")
    void keysQuota() throws Exception {
        RetryPolicy poor = QUICK.toBuilder()
                .quota(TokenBucketSettings.builder().capacity(14).cost(14).build())
                .build();
        HttpClient client = client(poor);
        server = new FaultServer(status(503, "busy"));
        client.send(get(), BodyHandlers.discarding());
        client.send(get(), BodyHandlers.discarding());
        assertEquals(3, server.requests().size());

        try (FaultServer other = new FaultServer(status(503, "busy"), status(200, "done"))) {
            HttpRequest elsewhere = HttpRequest.newBuilder(other.uri()).build();
            assertEquals(200, client.send(elsewhere, BodyHandlers.discarding()).statusCode());
        }
    }

    @Test
    @DisplayName("ends at once when its future is cancelled in a wait")
    void isCancelled() throws Exception {
        server = new FaultServer(status(503, "busy"));
        RetryPolicy slow =
                QUICK.toBuilder().backoff(Backoff.fixed(Duration.ofHours(1))).build();
        CompletableFuture<HttpResponse<String>> waiting = client(slow).sendAsync(get(), BodyHandlers.ofString());
        while (events.stream().noneMatch(RetryEvent.RetryScheduled.class::isInstance)) Thread.onSpinWait();
        waiting.cancel(true);

        assertTrue(waiting.isCancelled());
        while (events.stream().noneMatch(RetryEvent.CallCancelled.class::isInstance)) Thread.onSpinWait();
        assertEquals(1, server.requests().size());
    }

    @Test
    @DisplayName("ends at once with an InterruptedException when its thread is interrupted in a wait")
    void isInterrupted() throws Exception {
        server = new FaultServer(status(503, "busy"));
        RetryPolicy slow =
                QUICK.toBuilder().backoff(Backoff.fixed(Duration.ofHours(1))).build();
        CompletableFuture<Exception> thrown = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                send(slow, get());
            } catch (Exception e) {
                thrown.complete(e);
            }
        });
        caller.start();
        while (events.stream().noneMatch(RetryEvent.RetryScheduled.class::isInstance)) Thread.onSpinWait();

        caller.interrupt();

        assertInstanceOf(InterruptedException.class, thrown.get(60, TimeUnit.SECONDS));
    }
}
