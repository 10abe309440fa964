package dev.reprise.samples.okhttp;

import com.sun.net.httpserver.HttpServer;
import dev.reprise.okhttp.RetryInterceptor;
import dev.reprise.okhttp.RetryReports;
import dev.reprise.okhttp.RetryingCallFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/** Both ways to retry OkHttp's calls, at work on a server that refuses every other request. */
final class OkHttpSample {
    private OkHttpSample() {}

    /** A call that this thread makes. */
    private static String blocking(Request request) throws IOException {
        OkHttpClient client = new OkHttpClient.Builder()
                .addInterceptor(new RetryInterceptor())
                .build();
        try (Response response = client.newCall(request).execute()) {
            return told(response);
        }
    }

    /** A call that holds no thread while it waits. */
    private static CompletableFuture<String> enqueued(OkHttpClient client, Request request) {
        CompletableFuture<String> told = new CompletableFuture<>();
        Call.Factory calls = new RetryingCallFactory(client);
        calls.newCall(request).enqueue(new Callback() {
            @Override
            public void onResponse(Call call, Response response) throws IOException {
                try (response) {
                    told.complete(told(response));
                }
            }

            @Override
            public void onFailure(Call call, IOException failure) {
                told.completeExceptionally(failure);
            }
        });
        return told;
    }

    private static String told(Response response) throws IOException {
        return response.body().string() + " after " + RetryReports.of(response).getAttempts() + " attempts";
    }

    public static void main(String[] arguments) throws Exception {
        AtomicInteger requests = new AtomicInteger();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            boolean isWell = requests.incrementAndGet() % 2 == 0;
            byte[] body = (isWell ? "well" : "busy").getBytes();
            exchange.sendResponseHeaders(isWell ? 200 : 503, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
        Request request = new Request.Builder().url(url).build();
        OkHttpClient client = new OkHttpClient();

        System.out.println("blocking: " + blocking(request));
        System.out.println("enqueued: " + enqueued(client, request).get());

        server.stop(0);
        client.dispatcher().executorService().shutdown();
    }
}
