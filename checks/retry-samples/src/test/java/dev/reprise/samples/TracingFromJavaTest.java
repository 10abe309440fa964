package dev.reprise.samples;

import static java.util.concurrent.CompletableFuture.supplyAsync;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.reprise.core.RetryPolicy;
import dev.reprise.java.JavaRetrier;
import dev.reprise.opentelemetry.RetryTracing;
import io.opentelemetry.api.OpenTelemetry;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The Java snippet of the observability guide, run. */
class TracingFromJavaTest {
    private final RetryTracing tracing = new RetryTracing(OpenTelemetry.noop());
    private final JavaRetrier retrier =
            JavaRetrier.builder().policy(RetryPolicy.STANDARD).listener(tracing).build();
    private final Users api = new Users();
    private final int id = 7;

    @Test
    void bothFormsOfCallRunInTheirSpans() {
        String user = retrier.callWithAttempt(attempt ->
                tracing.contextOf(attempt).wrapSupplier(() -> api.fetch(id)).get());
        CompletableFuture<String> later = retrier.callAsyncWithAttempt(
                attempt -> supplyAsync(tracing.contextOf(attempt).wrapSupplier(() -> api.fetch(id))));
        assertEquals("user 7", user);
        assertEquals("user 7", later.join());
    }

    private static final class Users {
        String fetch(int id) {
            return "user " + id;
        }
    }
}
