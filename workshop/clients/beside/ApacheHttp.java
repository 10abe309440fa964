import dev.reprise.apachehttp.ApacheRetries;
import dev.reprise.apachehttp.RetryReports;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.HttpClients;

/** Apache's client beside the newest of its versions. */
final class ApacheHttp {
    public static void main(String[] arguments) throws Exception {
        try (Flaky server = new Flaky();
                var client = ApacheRetries.standard().addTo(HttpClients.custom()).build()) {
            int attempts = client.execute(new HttpGet(server.url()), response -> {
                Flaky.check(response.getCode() == 200, response);
                return RetryReports.of(response).getAttempts();
            });
            Flaky.check(attempts == 2, attempts);
        }
    }
}
