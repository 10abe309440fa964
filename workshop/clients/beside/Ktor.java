import dev.reprise.ktor.Retry;
import io.ktor.client.HttpClient;
import io.ktor.client.HttpClientKt;
import io.ktor.client.engine.cio.CIO;
import io.ktor.client.request.HttpRequestBuilder;
import io.ktor.client.request.HttpRequestKt;
import io.ktor.client.statement.HttpResponse;
import io.ktor.client.statement.HttpStatement;
import kotlin.Unit;
import kotlin.coroutines.EmptyCoroutineContext;
import kotlinx.coroutines.BuildersKt;

/** A client of Ktor. */
final class Ktor {
    public static void main(String[] arguments) throws Exception {
        try (Flaky server = new Flaky();
                HttpClient client = HttpClientKt.HttpClient(CIO.INSTANCE, config -> {
                    config.install(Retry.INSTANCE, retry -> Unit.INSTANCE);
                    return Unit.INSTANCE;
                })) {
            HttpRequestBuilder request = new HttpRequestBuilder();
            HttpRequestKt.url(request, server.url());
            HttpResponse response = BuildersKt.runBlocking(EmptyCoroutineContext.INSTANCE, (scope, next) ->
                    new HttpStatement(request, client).execute(next));
            Flaky.check(response.getStatus().getValue() == 200 && server.requests() == 2, response);
        }
    }
}
