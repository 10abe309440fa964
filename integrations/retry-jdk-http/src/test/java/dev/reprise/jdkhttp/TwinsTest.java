package dev.reprise.jdkhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.reprise.core.RetryPolicy;
import dev.reprise.faults.Twins;
import java.net.Authenticator;
import java.net.PasswordAuthentication;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A request that needs no retry ends as it would without Reprise, whatever its method and its response. */
class TwinsTest {
    private static final HttpClient CLIENT = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NORMAL)
            .authenticator(new Authenticator() {
                @Override
                protected PasswordAuthentication getPasswordAuthentication() {
                    return new PasswordAuthentication("a", new char[] {'b'});
                }
            })
            .build();

    @ParameterizedTest
    @EnumSource
    void withAndWithoutRepriseAlike(Face face) {
        RetryPolicy policy = RetryPolicy.HTTP.toBuilder().noBackoff().noQuota().build();
        HttpClient retried = RetryingHttpClient.around(CLIENT).policy(policy).build();
        assertEquals("", Twins.differences(twin(face, CLIENT), twin(face, retried)));
    }

    private static Twins.Client twin(Face face, HttpClient client) {
        return (asked, uri) -> {
            var body = asked.body().isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(asked.body());
            HttpRequest request =
                    HttpRequest.newBuilder(uri).method(asked.method(), body).build();
            HttpResponse<byte[]> response = face.send(client, request, BodyHandlers.ofByteArray());
            String text = new String(response.body(), StandardCharsets.ISO_8859_1);
            return response.statusCode() + " " + response.headers().map() + " " + text;
        };
    }
}
