package dev.reprise.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.reprise.core.Backoff;
import dev.reprise.core.RetryPolicy;
import dev.reprise.java.JavaRetrier;
import java.io.IOException;
import java.time.Duration;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.junit.jupiter.api.Test;

class JavaCallerTest {
    private static final RetryPolicy POLICY =
            RetryPolicy.builder().backoff(Backoff.fixed(Duration.ofMillis(1))).build();

    @Test
    void javaCallersHaveAnInterceptorAFactoryATagAndAReport() throws IOException {
        try (RawServer server = new RawServer(
                RawServerKt.status(503, ""),
                RawServerKt.status(200, ""),
                RawServerKt.status(503, ""),
                RawServerKt.status(200, ""))) {
            Request request = new Request.Builder()
                    .url(server.getUrl())
                    .post(RequestBody.create(new byte[1]))
                    .tag(RetryTag.class, RetryTag.IDEMPOTENT)
                    .build();
            OkHttpRetries retries =
                    OkHttpRetries.builder().policy(POLICY).errorBodyBytes(1024).build();
            OkHttpClient client = new OkHttpClient.Builder()
                    .addInterceptor(new RetryInterceptor(retries))
                    .build();
            try (Response response = client.newCall(request).execute()) {
                assertEquals(2, RetryReports.of(response).getAttempts());
            }
            RetryingCallFactory calls = new RetryingCallFactory(client, JavaRetrier.of(POLICY));
            try (Response response = calls.newCall(request).execute()) {
                assertEquals(2, RetryReports.of(response).getAttempts());
            }
        }
    }
}
