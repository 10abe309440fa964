package dev.reprise.jdkhttp;

import dev.reprise.core.Backoff;
import dev.reprise.core.RetryPolicy;
import dev.reprise.faults.Soak;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Many faulty calls")
class SoakTest {
    @ParameterizedTest
    @EnumSource
    @DisplayName("lose nothing, double nothing and leak nothing")
    void leavesNothingBehind(Face face) throws Exception {
        HttpClient plain =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        HttpClient client = RetryingHttpClient.around(plain)
                .policy(RetryPolicy.HTTP.toBuilder()
                        .backoff(Backoff.fixed(Duration.ofMillis(1)))
                        .noQuota()
                        .build())
                .build();

        Soak.Figures figures = Soak.run((kind, uri) -> {
            HttpResponse<String> response =
                    face.send(client, MatrixPageTest.request(kind, uri), BodyHandlers.ofString());
            return response.statusCode() == 200 ? response.body() : null;
        });

        System.out.println("java.net.http " + face + ": " + figures);
        figures.check(32);
    }
}
