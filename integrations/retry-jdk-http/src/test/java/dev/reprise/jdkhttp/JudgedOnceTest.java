package dev.reprise.jdkhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.reprise.core.Backoff;
import dev.reprise.core.Classifier;
import dev.reprise.core.HttpOutcome;
import dev.reprise.core.RetryPolicy;
import dev.reprise.faults.FaultServer;
import dev.reprise.faults.Replies;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The classifier is asked about each response once")
@Timeout(30)
class JudgedOnceTest {
    private static HttpClient client(Classifier first, int errorBodyBytes) {
        return RetryingHttpClient.around(HttpClient.newHttpClient())
                .policy(RetryPolicy.HTTP.toBuilder()
                        .backoff(Backoff.fixed(Duration.ofMillis(1)))
                        .classifyFirst(first)
                        .build())
                .errorBodyBytes(errorBodyBytes)
                .build();
    }

    @ParameterizedTest
    @CsvSource({"SYNC, 0, 200", "ASYNC, 0, 200", "SYNC, 100, 200", "ASYNC, 100, 200", "SYNC, 0, 503", "ASYNC, 0, 503"})
    @DisplayName("whether it is rejected or delivered, held or not")
    void once(Face face, int errorBodyBytes, int last) throws Exception {
        List<Integer> asked = new CopyOnWriteArrayList<>();
        Classifier counting = Classifier.results(result -> {
            asked.add(((HttpOutcome) result).getStatus());
            return null;
        });
        try (FaultServer server = new FaultServer(
                Replies.status(503, "busy"), Replies.status(500, "busy"), Replies.status(last, "there"))) {
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            assertEquals(
                    "there",
                    face.send(client(counting, errorBodyBytes), request, BodyHandlers.ofString())
                            .body());
        }
        assertEquals(List.of(503, 500, last), asked);
    }

    @ParameterizedTest
    @CsvSource({"SYNC", "ASYNC"})
    @DisplayName("also one that throws, with which the call ends")
    void throwing(Face face) {
        List<Integer> asked = new CopyOnWriteArrayList<>();
        RuntimeException bug = new IllegalStateException("bug");
        Classifier throwing = Classifier.results(result -> {
            asked.add(((HttpOutcome) result).getStatus());
            throw bug;
        });
        try (FaultServer server = new FaultServer(Replies.status(503, "busy"))) {
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            Exception thrown = assertThrows(
                    Exception.class, () -> face.send(client(throwing, 0), request, BodyHandlers.ofString()));
            assertSame(bug, thrown);
        }
        assertEquals(List.of(503), asked);
    }
}
