package dev.reprise.jdkhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.reprise.core.Backoff;
import dev.reprise.core.RetryPolicy;
import dev.reprise.faults.FaultServer;
import dev.reprise.faults.Replies;
import dev.reprise.faults.Reply;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("The request of an attempt")
@Timeout(30)
class AttemptRequestsTest {
    private static RetryingHttpClientBuilder builder() {
        return RetryingHttpClient.around(HttpClient.newHttpClient())
                .policy(RetryPolicy.HTTP.toBuilder().backoff(Backoff.IMMEDIATE).build());
    }

    /** The values of the header {@code name} in the requests that a server sees which refuses the first one. */
    private static List<String> seen(
            Face face, RetryingHttpClientBuilder builder, Function<URI, HttpRequest> request, String name)
            throws Exception {
        try (FaultServer server = new FaultServer(Replies.status(503, "busy"), Replies.status(200, "there"))) {
            face.send(builder.build(), request.apply(server.uri()), BodyHandlers.ofString());
            return server.requests().stream()
                    .map(seen -> seen.headers().get(name))
                    .toList();
        }
    }

    private static HttpRequest get(URI uri) {
        return HttpRequest.newBuilder(uri).header("X-Mine", "mine").build();
    }

    private static HttpRequest oneShot(URI uri) {
        return HttpRequest.newBuilder(uri)
                .header("X-Mine", "mine")
                .PUT(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(new byte[1])))
                .build();
    }

    private static HttpRequest keyed(URI uri) {
        return HttpRequest.newBuilder(uri)
                .header("X-Key", "1")
                .POST(BodyPublishers.ofString("text"))
                .build();
    }

    @ParameterizedTest
    @EnumSource(Face.class)
    @DisplayName("has the caller's headers, first and later, and where its body is watched")
    void keepsHeaders(Face face) throws Exception {
        assertEquals(List.of("mine", "mine"), seen(face, builder(), AttemptRequestsTest::get, "x-mine"));
        assertEquals(List.of("mine"), seen(face, builder(), AttemptRequestsTest::oneShot, "x-mine"));
    }

    @ParameterizedTest
    @EnumSource(Face.class)
    @DisplayName(
            "has its number from the second on, unless that is off, and forbids a sidecar's repeats if that is asked")
    void marks(Face face) throws Exception {
        String number = "amz-sdk-request";
        assertEquals(Arrays.asList(null, "attempt=2"), seen(face, builder(), AttemptRequestsTest::get, number));
        assertEquals(
                Arrays.asList(null, null),
                seen(face, builder().numberRetries(false), AttemptRequestsTest::get, number));
        String mesh = "x-envoy-max-retries";
        assertEquals(Arrays.asList(null, null), seen(face, builder(), AttemptRequestsTest::get, mesh));
        assertEquals(List.of("0", "0"), seen(face, builder().meshRetries(false), AttemptRequestsTest::get, mesh));
    }

    @ParameterizedTest
    @EnumSource(Face.class)
    @DisplayName("has a number that is not in the response's request, which may be sent again; the caller's own stays")
    void isOfThisAttempt(Face face) throws Exception {
        String number = "amz-sdk-request";
        Reply[] replies = {Replies.status(503, "busy"), Replies.status(503, "busy"), Replies.status(200, "there")};
        for (boolean isHeld : new boolean[] {false, true}) {
            RetryPolicy policy = RetryPolicy.HTTP.toBuilder()
                    .maxAttempts(2)
                    .backoff(Backoff.IMMEDIATE)
                    .build();
            HttpClient client =
                    builder().policy(policy).errorBodyBytes(isHeld ? 9 : 0).build();
            try (FaultServer server = new FaultServer(replies)) {
                var refused = face.send(client, get(server.uri()), BodyHandlers.ofString());
                HttpRequest again = HttpRequest.newBuilder(refused.request(), (name, value) -> true)
                        .header("X-Again", "1")
                        .build();
                face.send(client, again, BodyHandlers.ofString());
                assertEquals(
                        Arrays.asList(null, "attempt=2", null),
                        server.requests().stream()
                                .map(seen -> seen.headers().get(number))
                                .toList());
            }
        }
        try (FaultServer server = new FaultServer(replies)) {
            HttpRequest own = HttpRequest.newBuilder(server.uri())
                    .header(number, "attempt=7")
                    .build();
            var response = face.send(builder().amzHeaders(true).build(), own, BodyHandlers.ofString());
            assertEquals(List.of("attempt=7"), response.request().headers().allValues(number));
        }
    }

    @ParameterizedTest
    @EnumSource(Face.class)
    @DisplayName("that follows a response is repeated if its body can be sent again, as in the first call")
    void sentAgain(Face face) throws Exception {
        Path file = Files.writeString(Files.createTempFile("body", ".txt"), "text");
        HttpClient client = builder().build();
        try (FaultServer server =
                new FaultServer(Replies.status(401, ""), Replies.status(503, "busy"), Replies.status(200, "there"))) {
            HttpRequest put = HttpRequest.newBuilder(server.uri())
                    .PUT(BodyPublishers.ofFile(file))
                    .build();
            var refused = face.send(client, put, BodyHandlers.ofString());
            HttpRequest again = HttpRequest.newBuilder(refused.request(), (name, value) -> true)
                    .header("Authorization", "mine")
                    .build();
            assertEquals(200, face.send(client, again, BodyHandlers.ofString()).statusCode());
        } finally {
            Files.delete(file);
        }
    }

    @ParameterizedTest
    @EnumSource(Face.class)
    @DisplayName("follows another if a header of the caller's choice makes that harmless")
    void keys(Face face) throws Exception {
        assertEquals(List.of("1"), seen(face, builder(), AttemptRequestsTest::keyed, "x-key"));
        RetryingHttpClientBuilder knowing = builder().idempotencyKeys(Set.of("X-Key"));
        assertEquals(List.of("1", "1"), seen(face, knowing, AttemptRequestsTest::keyed, "x-key"));
    }
}
