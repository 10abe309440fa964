package dev.reprise.jdkhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.reprise.core.Backoff;
import dev.reprise.core.RetryPolicy;
import dev.reprise.faults.Certificates;
import dev.reprise.faults.Held;
import dev.reprise.faults.Kind;
import dev.reprise.faults.Matrix;
import dev.reprise.faults.MatrixPage;
import dev.reprise.faults.Observation;
import dev.reprise.faults.Scenario;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** What {@code docs/figures/http-faults.csv} says of java.net.http, for blocking and asynchronous calls alike. */
@DisplayName("java.net.http does what docs/figures/http-faults.csv says of it")
class MatrixPageTest {
    private static final String COLUMN = "java.net.http";

    @TestFactory
    Stream<DynamicTest> doesWhatThePageSays() throws IOException {
        Matrix blocking = Matrix.of(sender(Face.SYNC), true, Set.of());
        Matrix asynchronous = Matrix.of(sender(Face.ASYNC), true, Set.of());
        if (Boolean.getBoolean("faults.update")) new MatrixPage().write(COLUMN, blocking);
        MatrixPage page = new MatrixPage();
        return Scenario.all().stream()
                .flatMap(scenario -> Stream.of(
                        DynamicTest.dynamicTest("blocking, " + scenario, () -> check(page, scenario, blocking)),
                        DynamicTest.dynamicTest(
                                "asynchronous, " + scenario, () -> check(page, scenario, asynchronous))));
    }

    private static void check(MatrixPage page, Scenario scenario, Matrix found) {
        String expected = page.cell(COLUMN, scenario);
        assertEquals(expected, found.cell(scenario, expected));
    }

    private static Matrix.Client sender(Face face) {
        HttpClient plain = client(HttpClient.Version.HTTP_1_1);
        HttpClient secure = client(HttpClient.Version.HTTP_2);
        return new Matrix.Client() {
            @Override
            public Observation send(Kind kind, URI uri) {
                return Observation.of(() -> {
                    HttpClient client = uri.getScheme().equals("https") ? secure : plain;
                    HttpResponse<String> response = face.send(client, request(kind, uri), BodyHandlers.ofString());
                    return Observation.of(response.statusCode(), response.body());
                });
            }

            @Override
            public Observation hold(Held held, URI uri) {
                // The builder of web sockets is the JDK's own, whose upgrade nothing retries.
                if (held == Held.SOCKET) return null;
                return Observation.of(() -> {
                    HttpResponse<Stream<String>> response =
                            face.send(plain, request(Kind.GET, uri), BodyHandlers.ofLines());
                    String first = response.body().findFirst().orElseThrow();
                    return Observation.of(response.statusCode(), first.replace("data: ", ""));
                });
            }
        };
    }

    private static HttpClient client(HttpClient.Version version) {
        HttpClient below = HttpClient.newBuilder()
                .version(version)
                .followRedirects(HttpClient.Redirect.NORMAL)
                .sslContext(Certificates.clientContext())
                .build();
        return RetryingHttpClient.around(below)
                .policy(RetryPolicy.HTTP.toBuilder()
                        .backoff(Backoff.fixed(Duration.ofMillis(5)))
                        .attemptTimeout(Duration.ofSeconds(2))
                        .noQuota()
                        .build())
                .build();
    }

    static HttpRequest request(Kind kind, URI uri) {
        byte[] payload = kind.payload(uri).getBytes(StandardCharsets.UTF_8);
        return HttpRequest.newBuilder(uri)
                .method(
                        kind.method(),
                        switch (kind) {
                            case GET -> BodyPublishers.noBody();
                            case POST -> BodyPublishers.ofByteArray(payload);
                            case ONE_SHOT_PUT -> BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(payload));
                        })
                .build();
    }
}
