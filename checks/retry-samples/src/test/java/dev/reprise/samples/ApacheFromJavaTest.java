package dev.reprise.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.apachehttp.ApacheRetries;
import dev.reprise.apachehttp.RetryReports;
import dev.reprise.core.CallOptions;
import dev.reprise.core.Repeat;
import java.net.URI;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import okhttp3.Headers;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.junit.jupiter.api.Test;

/** The snippets of the page on Apache's client, run. */
class ApacheFromJavaTest {
    @Test
    void retriesAndOptionsOfARequest() throws Exception {
        try (MockWebServer server = new MockWebServer()) {
            for (int code : new int[] {503, 200, 503, 200}) server.enqueue(new MockResponse(code, Headers.EMPTY, ""));
            server.start();
            URI uri = server.url("/").uri();

            CloseableHttpClient client =
                    ApacheRetries.standard().addTo(HttpClients.custom()).build();

            String report = client.execute(
                    new HttpGet(uri), response -> RetryReports.of(response).toString());
            assertTrue(report.startsWith("2 attempts, stopped: success, waited "));

            CallOptions safe = CallOptions.builder().repeat(Repeat.SAFE).build();
            client.execute(new HttpPost(uri), ApacheRetries.context(safe), response -> null);
            assertEquals(4, server.getRequestCount());
            client.close();
        }
    }
}
