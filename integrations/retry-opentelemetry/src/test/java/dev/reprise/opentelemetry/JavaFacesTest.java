package dev.reprise.opentelemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.reprise.core.Backoff;
import dev.reprise.core.CallOptions;
import dev.reprise.core.RetryPolicy;
import dev.reprise.java.JavaRetrier;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Attempts that run on other threads, after waits on timers, lie under the call that they belong to. */
class JavaFacesTest {
    private final Spans spans = new Spans();
    private final RetryTracing tracing = new RetryTracing(spans.getTracer());
    private final JavaRetrier retrier = JavaRetrier.builder()
            .policy(RetryPolicy.builder()
                    .backoff(Backoff.fixed(Duration.ofMillis(1)))
                    .build())
            .listener(tracing)
            .build();
    private final List<String> current = new CopyOnWriteArrayList<>();

    @Test
    void blockingCall() throws IOException {
        var caller = spans.getTracer().spanBuilder("caller").startSpan();
        try (Scope scope = caller.makeCurrent()) {
            assertFalse(scope == Scope.noop());
            retrier.withOptions(CallOptions.named("users.get")).callWithAttempt(attempt -> {
                try (Scope inner = tracing.contextOf(attempt).makeCurrent()) {
                    assertFalse(inner == Scope.noop());
                    return attemptOf(attempt.getNumber());
                }
            });
            assertEquals(caller, Span.current());
        }
        caller.end();
        assertTree();
    }

    @Test
    void future() throws Exception {
        var caller = spans.getTracer().spanBuilder("caller").startSpan();
        CompletableFuture<String> future;
        try (Scope scope = caller.makeCurrent()) {
            assertFalse(scope == Scope.noop());
            future = retrier.withOptions(CallOptions.named("users.get")).callAsyncWithAttempt(attempt -> {
                Context context = tracing.contextOf(attempt);
                return CompletableFuture.supplyAsync(context.wrapSupplier(() -> {
                    try {
                        return attemptOf(attempt.getNumber());
                    } catch (IOException e) {
                        throw new java.util.concurrent.CompletionException(e);
                    }
                }));
            });
        }
        assertEquals("up", future.get(30, TimeUnit.SECONDS));
        caller.end();
        assertTree();
    }

    private String attemptOf(int number) throws IOException {
        current.add(Span.current().getSpanContext().getSpanId());
        if (number < 3) throw new IOException("down");
        return "up";
    }

    private void assertTree() {
        assertEquals(
                List.of("users.get/attempt", "users.get/attempt", "users.get/attempt", "caller/users.get", "-/caller"),
                spans.tree());
        assertEquals(
                spans.named("attempt").stream().map(span -> span.getSpanId()).toList(), current);
    }
}
