package dev.reprise.jdkhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.Backoff;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.RetryTrace;
import dev.reprise.faults.Fault;
import dev.reprise.faults.FaultServer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every fault against every kind of request and of handler. All of it with {@code -Dreprise.faults=all}, else what
 * {@link MatrixPageTest} has not.
 */
@DisplayName("Whatever a server does")
class FaultMatrixTest {
    private static final boolean IS_ALL = "all".equals(System.getProperty("reprise.faults"));
    private static final HttpClient PLAIN =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final HttpClient CLIENT = RetryingHttpClient.around(PLAIN)
            .policy(RetryPolicy.HTTP.toBuilder()
                    .backoff(Backoff.fixed(Duration.ofMillis(5)))
                    .attemptTimeout(Duration.ofMillis(500))
                    .noQuota()
                    .build())
            .build();
    private static final String PAYLOAD = "pay";

    private enum Kind {
        GET,
        POST,
        ONE_SHOT_PUT;

        HttpRequest request(FaultServer server) {
            HttpRequest.Builder request = HttpRequest.newBuilder(server.uri());
            return switch (this) {
                case GET -> request.build();
                case POST -> request.POST(BodyPublishers.ofString(PAYLOAD)).build();
                case ONE_SHOT_PUT ->
                    request.PUT(BodyPublishers.ofInputStream(
                                    () -> new ByteArrayInputStream(PAYLOAD.getBytes(StandardCharsets.UTF_8))))
                            .build();
            };
        }
    }

    private enum Receiver {
        STRING,
        CONSUMER,
        FILE
    }

    @TempDir
    Path folder;

    @TestFactory
    Stream<DynamicTest> keepsTheLaws() {
        List<DynamicTest> tests = new ArrayList<>();
        for (Face face : IS_ALL ? EnumSet.allOf(Face.class) : EnumSet.of(Face.SYNC)) {
            for (Fault fault : Fault.values()) {
                for (Kind kind : Kind.values()) {
                    for (Receiver receiver : Receiver.values()) {
                        if (!IS_ALL && (kind != Kind.GET || receiver == Receiver.STRING)) continue;
                        String name = face + " " + kind + " into " + receiver + ", server: " + fault;
                        tests.add(DynamicTest.dynamicTest(name, () -> check(face, fault, kind, receiver)));
                    }
                }
            }
        }
        return tests.stream();
    }

    private void check(Face face, Fault fault, Kind kind, Receiver receiver) throws Exception {
        Path file = folder.resolve(face + "-" + fault + "-" + kind);
        ByteArrayOutputStream consumed = new ByteArrayOutputStream();
        try (FaultServer server = new FaultServer(fault, Fault.NONE)) {
            long began = System.nanoTime();
            HttpResponse<?> response = null;
            Exception thrown = null;
            try {
                response = face.send(CLIENT, kind.request(server), handler(receiver, file, consumed));
            } catch (Exception e) {
                thrown = e;
            }

            assertTrue(System.nanoTime() - began < TimeUnit.SECONDS.toNanos(20), "took too long");
            if (thrown != null) assertNotNull(RetryTrace.of(thrown), "no trace in " + thrown);
            if (kind != Kind.GET) {
                assertTrue(server.bodies().size() <= 1, "sent again: " + server.bodies());
                for (String body : server.bodies()) assertEquals(PAYLOAD, body);
            }
            if (response != null && response.statusCode() == 200) assertDelivered(receiver, response, file, consumed);
            // A limit may end the call just when the body is whole.
            else if (receiver == Receiver.FILE && thrown != null && Files.exists(file))
                assertEquals(Fault.BODY, Files.readString(file), "half a file");
            if (thrown != null) assertTrue(consumed.size() <= Fault.BODY.length(), "delivered twice");
            if (kind == Kind.GET && receiver == Receiver.STRING && fault != Fault.REDIRECT)
                assertEquals(200, response == null ? -1 : response.statusCode(), () -> "not retried");
        }
    }

    private static void assertDelivered(
            Receiver receiver, HttpResponse<?> response, Path file, ByteArrayOutputStream consumed) throws Exception {
        String delivered = switch (receiver) {
            case STRING -> (String) response.body();
            case CONSUMER -> consumed.toString(StandardCharsets.UTF_8);
            case FILE -> Files.readString(file);
        };
        assertEquals(Fault.BODY, delivered);
    }

    private static BodyHandler<?> handler(Receiver receiver, Path file, ByteArrayOutputStream consumed) {
        return switch (receiver) {
            case STRING -> BodyHandlers.ofString();
            case CONSUMER -> BodyHandlers.ofByteArrayConsumer(bytes -> bytes.ifPresent(consumed::writeBytes));
            case FILE -> RetryBodyHandlers.ofFile(file);
        };
    }
}
