package dev.reprise.jdkhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.reprise.core.Backoff;
import dev.reprise.core.Classifier;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.shell.http.Crc32Check;
import dev.reprise.faults.FaultServer;
import dev.reprise.faults.Replies;
import dev.reprise.faults.Reply;
import dev.reprise.java.JavaRetrier;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Of a response classifiers and listeners see")
@Timeout(30)
class OutcomeTest {
    private static final String THROTTLED = "{\"__type\": \"ThrottlingException\", \"message\": \"Rate exceeded\"}";

    /** Sends one request; returns each response as a classifier sees it. The policy reads bodies of any status. */
    private static List<ResponseOutcome> outcomes(Face face, int errorBodyBytes, Classifier reads, Reply... replies)
            throws Exception {
        List<ResponseOutcome> seen = new CopyOnWriteArrayList<>();
        Classifier noting = Classifier.results(result -> {
            seen.add((ResponseOutcome) result);
            return null;
        });
        HttpClient client = RetryingHttpClient.around(HttpClient.newHttpClient())
                .policy(RetryPolicy.HTTP.toBuilder()
                        .backoff(Backoff.IMMEDIATE)
                        .classifyFirst(reads)
                        .classifyFirst(noting)
                        .build())
                .errorBodyBytes(errorBodyBytes)
                .build();
        try (FaultServer server = new FaultServer(replies)) {
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            face.send(client, request, BodyHandlers.ofString());
        }
        return seen;
    }

    private static List<String> texts(List<ResponseOutcome> outcomes) {
        List<String> texts = new ArrayList<>();
        for (ResponseOutcome outcome : outcomes) {
            byte[] body = outcome.getBody();
            texts.add(outcome + ", " + outcome.getErrorMessage() + ", "
                    + (body == null ? null : new String(body, StandardCharsets.UTF_8)));
        }
        return texts;
    }

    @ParameterizedTest
    @EnumSource(Face.class)
    @DisplayName("code and message of a failure, and none of a good one whatever its body looks like")
    void codes(Face face) throws Exception {
        List<ResponseOutcome> seen =
                outcomes(face, 0, new Crc32Check(), Replies.status(400, THROTTLED), Replies.status(200, THROTTLED));
        assertEquals(
                List.of("HTTP 400 ThrottlingException, Rate exceeded, " + THROTTLED, "HTTP 200, null, " + THROTTLED),
                texts(seen));
    }

    @ParameterizedTest
    @EnumSource(Face.class)
    @DisplayName("a code in a header before one in the body")
    void headerFirst(Face face) throws Exception {
        Reply failure = Replies.status(400, THROTTLED, "x-amzn-errortype: SlowDown:http://aws/");
        List<ResponseOutcome> seen =
                outcomes(face, 100, Classifier.results(result -> null), failure, Replies.status(200, "there"));
        assertEquals("SlowDown", seen.get(0).getErrorCode());
    }

    @ParameterizedTest
    @EnumSource(Face.class)
    @DisplayName("a body that fits what is read, and no longer one")
    void wholeBodies(Face face) throws Exception {
        for (int length : new int[] {0, 9, 10, 11, 100}) {
            List<ResponseOutcome> seen = outcomes(
                    face,
                    10,
                    Classifier.results(result -> null),
                    Replies.status(503, "x".repeat(length)),
                    Replies.status(200, "there"));
            String body = length <= 10 ? "x".repeat(length) : null;
            assertEquals(Arrays.asList("HTTP 503, null, " + body, "HTTP 200, null, null"), texts(seen));
        }
    }

    @Test
    @DisplayName("as many bytes as a number says that is not negative")
    void bounds() {
        RetryingHttpClientBuilder builder = RetryingHttpClient.around(HttpClient.newHttpClient());
        builder.drainBytes(0).errorBodyBytes(0);
        assertEquals(
                "drainBytes must not be negative: -1",
                assertThrows(IllegalArgumentException.class, () -> builder.drainBytes(-1))
                        .getMessage());
        assertEquals(
                "errorBodyBytes must not be negative: -1",
                assertThrows(IllegalArgumentException.class, () -> builder.errorBodyBytes(-1))
                        .getMessage());
    }

    @Test
    @DisplayName("with retriers of the user's none but theirs: a policy or listener beside them is refused")
    void retriersAlone() {
        RetryingHttpClientBuilder listening = withRetriers().listener(event -> {});
        RetryingHttpClientBuilder other = withRetriers().policy(RetryPolicy.NONE);
        for (RetryingHttpClientBuilder builder : List.of(listening, other)) {
            assertEquals(
                    "retriers bring their own policies and listeners: set either retriers, or policy and listeners",
                    assertThrows(IllegalArgumentException.class, builder::build).getMessage());
        }
    }

    private static RetryingHttpClientBuilder withRetriers() {
        return RetryingHttpClient.around(HttpClient.newHttpClient())
                .retriers(request -> JavaRetrier.of(RetryPolicy.HTTP));
    }
}
