package dev.reprise.jdkhttp;

import static dev.reprise.faults.Replies.cutAfter;
import static dev.reprise.faults.Replies.pausing;
import static dev.reprise.faults.Replies.stallAfter;
import static dev.reprise.faults.Replies.status;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.Backoff;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.RetryTrace;
import dev.reprise.core.shell.quota.RetryQuota;
import dev.reprise.faults.FaultServer;
import dev.reprise.java.JavaRetrier;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A response is delivered once")
@Timeout(60)
class DeliveredOnceTest {
    private static final HttpClient PLAIN =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final RetryPolicy QUICK = RetryPolicy.HTTP.toBuilder()
            .backoff(Backoff.fixed(Duration.ofMillis(10)))
            .build();

    private FaultServer server;

    @AfterEach
    void stop() {
        if (server != null) server.close();
    }

    private <T> T body(Face face, RetryPolicy policy, BodyHandler<T> handler) throws Exception {
        HttpClient client = RetryingHttpClient.around(PLAIN).policy(policy).build();
        return face.send(client, HttpRequest.newBuilder(server.uri()).build(), handler)
                .body();
    }

    private void cutThenWhole() {
        server = new FaultServer(cutAfter(200, "only this"), status(200, "the whole"));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a cut body is repeated where it cannot have been seen")
    void repeatsUnseen(Face face) throws Exception {
        cutThenWhole();
        assertEquals("the whole", body(face, QUICK, BodyHandlers.ofString()));
        cutThenWhole();
        assertEquals("the whole", new String(body(face, QUICK, BodyHandlers.ofByteArray())));
        cutThenWhole();
        assertEquals("instead", body(face, QUICK, BodyHandlers.replacing("instead")));
        cutThenWhole();
        BodyHandler<String> mapping = RetryBodyHandlers.mapping(BodyHandlers.ofString(), text -> "mapped " + text);
        assertEquals("mapped the whole", body(face, QUICK, mapping));
        cutThenWhole();
        BodyHandler<String> vouched = info -> BodySubscribers.mapping(BodySubscribers.ofByteArray(), String::new);
        assertEquals("the whole", body(face, QUICK, RetryBodyHandlers.repeatable(vouched)));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a failure that no rule retries is that failure, also if its body is cut: it is not repeated")
    void keepsFailures(Face face) throws Exception {
        for (int status : new int[] {400, 404, 501}) {
            server = new FaultServer(cutAfter(status, "no su"));
            List<BodyHandler<?>> handlers = List.of(
                    BodyHandlers.ofString(), RetryBodyHandlers.mapping(BodyHandlers.ofString(), String::length));
            for (BodyHandler<?> handler : handlers) assertThrows(IOException.class, () -> body(face, QUICK, handler));
            assertEquals(2, server.requests().size());
            server.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a cut body is final once a consumer has seen a part of it")
    void sparesConsumers(Face face) throws Exception {
        cutThenWhole();
        ByteArrayOutputStream seen = new ByteArrayOutputStream();
        BodyHandler<Void> consumer = BodyHandlers.ofByteArrayConsumer(bytes -> bytes.ifPresent(seen::writeBytes));

        IOException thrown = assertThrows(IOException.class, () -> body(face, QUICK, consumer));

        assertEquals("only this", seen.toString());
        assertEquals(1, server.requests().size());
        assertNotNull(RetryTrace.of(thrown));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("no subscriber is subscribed twice, not even after a timeout")
    void subscribesOnce(Face face) throws Exception {
        server = new FaultServer(stallAfter(200, "only"), status(200, "the whole"));
        // Long enough that the head is there on a busy machine: an attempt without one may be repeated.
        RetryPolicy timed =
                QUICK.toBuilder().attemptTimeout(Duration.ofSeconds(1)).build();
        AtomicInteger subscriptions = new AtomicInteger();

        BodyHandler<Void> handler = BodyHandlers.fromSubscriber(counting(subscriptions));
        assertThrows(HttpTimeoutException.class, () -> body(face, timed, handler));

        assertEquals(1, subscriptions.get());
        assertEquals(1, server.requests().size());
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a file is one whole response or left as it was")
    void keepsFilesWhole(Face face, @TempDir Path folder) throws Exception {
        Path file = folder.resolve("body");
        cutThenWhole();
        assertEquals(file, body(face, QUICK, RetryBodyHandlers.ofFile(file)));
        assertEquals("the whole", Files.readString(file));
        server.close();

        server = new FaultServer(cutAfter(200, "a part"));
        assertThrows(IOException.class, () -> body(face, QUICK, RetryBodyHandlers.ofFile(file)));
        assertEquals(3, server.requests().size());
        assertEquals("the whole", Files.readString(file));
        assertEquals(List.of(file), soonIn(folder));
    }

    /** The files of {@code folder}: the JDK's client may tell of a broken body before it tells the body. */
    private static List<Path> soonIn(Path folder) throws Exception {
        for (int turn = 0; ; turn++) {
            try (var files = Files.list(folder)) {
                List<Path> left = files.toList();
                if (left.size() == 1 || turn == 1_000) return left;
            }
            Thread.sleep(10);
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("the JDK's ofFile, which does not start afresh, is final")
    void sparesPlainFiles(Face face, @TempDir Path folder) throws Exception {
        cutThenWhole();

        assertThrows(IOException.class, () -> body(face, QUICK, BodyHandlers.ofFile(folder.resolve("body"))));

        assertEquals(1, server.requests().size());
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("what the caller's own handler throws is final")
    void sparesHandlers(Face face) throws Exception {
        for (int status : new int[] {200, 404}) {
            server = new FaultServer(status(status, "no json"));
            BodyHandler<String> throwing = info -> {
                throw new IllegalStateException("apply");
            };
            assertOnce(face, throwing);

            server = new FaultServer(status(status, "no json"));
            assertOnce(
                    face,
                    info -> BodySubscribers.mapping(BodySubscribers.ofByteArray(), bytes -> {
                        throw new UncheckedIOException(new IOException("mapping"));
                    }));

            server = new FaultServer(status(status, "no json"));
            assertOnce(face, RetryBodyHandlers.mapping(BodyHandlers.ofString(), text -> {
                throw new UncheckedIOException(new IOException("mapping"));
            }));
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("what a subscriber throws that starts afresh is final too")
    void sparesSubscribers(Face face) throws Exception {
        for (Broken broken : Broken.values()) {
            server = new FaultServer(status(200, "no json"));
            assertOnce(face, RetryBodyHandlers.repeatable(info -> new Throwing(broken)));
            server = new FaultServer(status(200, "no json"));
            assertOnce(face, info -> new Throwing(broken));
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "a subscriber that throws, and takes no notice of it, ends the call, also if its body had been held back")
    void endsForSubscribers(Face face) throws Exception {
        server = new FaultServer(pausing(100, "HTTP/1.1 503 Busy\r\nContent-Length: 7\r\n\r\n", "no json"));
        JavaRetrier poor =
                JavaRetrier.builder(QUICK).quota(new RetryQuota(500, 0)).build();
        HttpClient client =
                RetryingHttpClient.around(PLAIN).retriers(request -> poor).build();
        HttpRequest request = HttpRequest.newBuilder(server.uri()).build();

        assertThrows(Exception.class, () -> face.send(client, request, info -> new Deaf()));
    }

    /** Throws at the first bytes, and hears of nothing after that. */
    private static final class Deaf implements BodySubscriber<String> {
        @Override
        public CompletionStage<String> getBody() {
            return new CompletableFuture<>();
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(1);
        }

        @Override
        public void onNext(List<ByteBuffer> item) {
            throw new IllegalStateException("mine");
        }

        @Override
        public void onError(Throwable failure) {}

        @Override
        public void onComplete() {}
    }

    private enum Broken {
        BODY,
        SUBSCRIBED,
        ITEM,
        END
    }

    /** Throws in one of its methods what a policy would retry if a server were to blame. */
    private static final class Throwing implements BodySubscriber<String> {
        private final BodySubscriber<String> whole = BodySubscribers.ofString(StandardCharsets.UTF_8);
        private final Broken broken;

        Throwing(Broken broken) {
            this.broken = broken;
        }

        private void in(Broken here) {
            if (here == broken) throw new UncheckedIOException(new SocketTimeoutException("" + here));
        }

        @Override
        public CompletionStage<String> getBody() {
            in(Broken.BODY);
            return whole.getBody();
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            in(Broken.SUBSCRIBED);
            whole.onSubscribe(subscription);
        }

        @Override
        public void onNext(List<ByteBuffer> item) {
            in(Broken.ITEM);
            whole.onNext(item);
        }

        @Override
        public void onError(Throwable failure) {
            whole.onError(failure);
        }

        @Override
        public void onComplete() {
            in(Broken.END);
            whole.onComplete();
        }
    }

    private void assertOnce(Face face, BodyHandler<String> handler) throws IOException {
        assertThrows(Exception.class, () -> body(face, QUICK, handler));
        assertEquals(1, server.requests().size());
        server.close();
    }

    private static Flow.Subscriber<List<ByteBuffer>> counting(AtomicInteger subscriptions) {
        return new Flow.Subscriber<>() {
            @Override
            public void onSubscribe(Flow.Subscription subscription) {
                assertTrue(subscriptions.incrementAndGet() > 0);
                subscription.request(Long.MAX_VALUE);
            }

            @Override
            public void onNext(List<ByteBuffer> item) {}

            @Override
            public void onError(Throwable failure) {}

            @Override
            public void onComplete() {}
        };
    }
}
