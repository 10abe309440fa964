package dev.reprise.jdkhttp;

import static dev.reprise.faults.Replies.reset;
import static dev.reprise.faults.Replies.status;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.reprise.core.Backoff;
import dev.reprise.core.RetryEvent;
import dev.reprise.core.RetryListener;
import dev.reprise.core.RetryPolicy;
import dev.reprise.faults.FaultServer;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A request body that fails while it is sent")
@Timeout(60)
class FailingBodyTest {
    private final AtomicInteger attempts = new AtomicInteger();
    private final HttpClient client = RetryingHttpClient.around(
                    HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build())
            .policy(RetryPolicy.HTTP.toBuilder().backoff(Backoff.IMMEDIATE).build())
            .listener((RetryListener) event -> {
                if (event instanceof RetryEvent.AttemptStarted) attempts.incrementAndGet();
            })
            .build();

    /** Can be sent again, and fails, after it was sent {@code whole} times, as a server's silence does. */
    private static BodyPublisher failing(int whole) {
        AtomicInteger left = new AtomicInteger(whole);
        Flow.Publisher<ByteBuffer> publisher = subscriber -> {
            if (left.getAndDecrement() > 0) {
                BodyPublishers.ofString("content").subscribe(subscriber);
                return;
            }
            subscriber.onSubscribe(new Flow.Subscription() {
                @Override
                public void request(long count) {
                    subscriber.onError(new SocketTimeoutException("mine"));
                }

                @Override
                public void cancel() {}
            });
        };
        return ReplayableBody.of(BodyPublishers.fromPublisher(publisher, "content".length()));
    }

    private int attemptsOf(Face face, FaultServer server, BodyPublisher body) {
        attempts.set(0);
        HttpRequest request = HttpRequest.newBuilder(server.uri()).PUT(body).build();
        assertThrows(IOException.class, () -> face.send(client, request, BodyHandlers.ofString()));
        return attempts.get();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("ends the call: in the first attempt, in a later one, or because its file has gone")
    void isFinal(Face face, @TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("body"), "content");
        BodyPublisher gone = BodyPublishers.ofFile(file);
        Files.delete(file);
        try (FaultServer server = new FaultServer(reset())) {
            assertEquals(1, attemptsOf(face, server, failing(0)));
            assertEquals(2, attemptsOf(face, server, failing(1)));
            assertEquals(1, attemptsOf(face, server, gone));
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("is no body that is cut off by the server")
    void isItsOwn(Face face) throws Exception {
        try (FaultServer server = new FaultServer(reset(), status(503, "busy"), status(200, "there"))) {
            HttpRequest request =
                    HttpRequest.newBuilder(server.uri()).PUT(failing(3)).build();

            assertEquals(
                    "there", face.send(client, request, BodyHandlers.ofString()).body());
        }
    }
}
