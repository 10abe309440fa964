import dev.reprise.okhttp.RetryInterceptor;
import dev.reprise.okhttp.RetryReports;
import dev.reprise.okhttp.RetryingCallFactory;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.ResponseBody;
import retrofit2.Call;
import retrofit2.Retrofit;
import retrofit2.http.GET;

/** The interceptor, and Retrofit over the call factory. */
final class OkHttp {
    interface Api {
        @GET("/")
        Call<ResponseBody> load();
    }

    public static void main(String[] arguments) throws Exception {
        try (Flaky server = new Flaky()) {
            OkHttpClient plain = new OkHttpClient();
            OkHttpClient client = plain.newBuilder().addInterceptor(new RetryInterceptor()).build();
            try (var response = client.newCall(new Request.Builder().url(server.url()).build()).execute()) {
                Flaky.check(response.code() == 200 && RetryReports.of(response).getAttempts() == 2, response);
            }
            var calls = new RetryingCallFactory(plain);
            Retrofit retrofit = new Retrofit.Builder().baseUrl(server.url()).callFactory(calls).build();
            var response = retrofit.create(Api.class).load().execute();
            Flaky.check(response.isSuccessful() && server.requests() == 4, response);
        }
    }
}
