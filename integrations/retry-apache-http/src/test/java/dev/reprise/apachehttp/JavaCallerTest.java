package dev.reprise.apachehttp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.reprise.core.CallOptions;
import dev.reprise.core.Repeat;
import dev.reprise.core.RetryPolicy;
import dev.reprise.faults.Fault;
import dev.reprise.faults.FaultServer;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.junit.jupiter.api.Test;

/** The face as Java calls it. */
class JavaCallerTest {
    @Test
    void settingsOptionsAndReport() throws Exception {
        ApacheRetries retries = ApacheRetries.builder()
                .policy(RetryPolicy.HTTP.toBuilder().noBackoff().noQuota().build())
                .errorBodyBytes(4096)
                .build();
        CallOptions safe = CallOptions.DEFAULT.toBuilder().repeat(Repeat.SAFE).build();
        try (FaultServer server = new FaultServer(Fault.UNAVAILABLE, Fault.NONE);
                CloseableHttpClient client = retries.addTo(HttpClients.custom()).build()) {
            int attempts = client.execute(
                    new HttpPost(server.uri()),
                    ApacheRetries.context(safe),
                    response -> RetryReports.of(response).getAttempts());
            assertEquals(2, attempts);
        }
    }
}
