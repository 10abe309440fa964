import dev.reprise.jdkhttp.RetryingHttpClient;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import okhttp3.OkHttpClient;
import okhttp3.Request;

/** A client of java.net.http beside an OkHttp that brings an old kotlin-stdlib. */
final class JdkHttp {
    public static void main(String[] arguments) throws Exception {
        try (Flaky server = new Flaky()) {
            HttpClient client = RetryingHttpClient.of(HttpClient.newHttpClient());
            HttpRequest request = HttpRequest.newBuilder(URI.create(server.url())).build();
            Flaky.check(client.send(request, BodyHandlers.ofString()).statusCode() == 200, request);
            Flaky.check(client.sendAsync(request, BodyHandlers.ofString()).get().statusCode() == 200, request);
            try (var response = new OkHttpClient().newCall(new Request.Builder().url(server.url()).build()).execute()) {
                Flaky.check(response.code() == 503 && server.requests() == 5, response);
            }
        }
    }
}
