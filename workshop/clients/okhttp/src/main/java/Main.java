import com.sun.net.httpserver.HttpServer;
import dev.reprise.okhttp.RetryInterceptor;
import dev.reprise.okhttp.RetryReports;
import dev.reprise.okhttp.RetryingCallFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.ResponseBody;
import retrofit2.Call;
import retrofit2.Retrofit;
import retrofit2.http.GET;

/** The interceptor, and Retrofit over the call factory. */
public final class Main {
    interface Api {
        @GET("/")
        Call<ResponseBody> load();
    }

    private Main() {}

    public static void main(String[] arguments) throws IOException {
        AtomicInteger requests = new AtomicInteger();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(requests.incrementAndGet() % 2 == 1 ? 503 : 200, -1);
            exchange.close();
        });
        server.start();
        String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
        try {
            OkHttpClient plain = new OkHttpClient();
            OkHttpClient client = plain.newBuilder().addInterceptor(new RetryInterceptor()).build();
            try (var response = client.newCall(new Request.Builder().url(url).build()).execute()) {
                check(response.code() == 200 && RetryReports.of(response).getAttempts() == 2, response);
            }
            Retrofit retrofit = new Retrofit.Builder().baseUrl(url).callFactory(new RetryingCallFactory(plain)).build();
            var response = retrofit.create(Api.class).load().execute();
            check(response.isSuccessful() && requests.get() == 4, response);
        } finally {
            server.stop(0);
        }
        System.out.println("okhttp: passed on Java " + Runtime.version());
        System.exit(0);
    }

    private static void check(boolean isTrue, Object seen) {
        if (!isTrue) throw new AssertionError(seen);
    }
}
