package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.CallOptions;
import dev.reprise.core.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Code of others that a call runs before its first attempt: where time is read, and where deadlines are. */
@DisplayName("What throws before a call begins")
class BrokenStartTest {
    private static final RetryPolicy TIMED =
            RetryPolicy.builder().deadline(Duration.ofSeconds(1)).build();

    private final AtomicInteger attempts = new AtomicInteger();

    private String count() {
        return "attempt " + attempts.incrementAndGet();
    }

    private CompletableFuture<String> counted() {
        return CompletableFuture.completedFuture(count());
    }

    private final List<Function<JavaRetrier, CompletableFuture<?>>> futures = List.of(
            retrier -> retrier.callAsync(this::counted),
            retrier -> retrier.withOptions(CallOptions.named("a")).callAsync(this::counted),
            retrier -> retrier.callAsync(this::count, Runnable::run),
            retrier -> retrier.callAsyncWithAttempt(attempt -> counted()),
            retrier -> retrier.outcomeAsync(this::counted),
            retrier -> retrier.outcomeAsync(this::count, Runnable::run));

    private static <T> T raise(Throwable thrown) {
        throw Throwables.<RuntimeException>rethrow(thrown);
    }

    private List<JavaRetrier> brokenBy(Throwable thrown) {
        return List.of(
                JavaRetrier.builder().deadlines(() -> raise(thrown)).build(),
                JavaRetrier.builder(TIMED).clock(() -> raise(thrown)).build(),
                JavaRetrier.builder(TIMED)
                        .listener(event -> {})
                        .deadlines(() -> raise(thrown))
                        .build());
    }

    @Test
    @DisplayName("is what the future fails with, in every form, and no attempt is made")
    void futures() {
        for (Throwable thrown : List.of(new IllegalStateException("no context"), new AssertionError("a bug"))) {
            for (JavaRetrier retrier : brokenBy(thrown)) {
                for (Function<JavaRetrier, CompletableFuture<?>> form : futures) {
                    CompletableFuture<?> call = form.apply(retrier);
                    assertTrue(call.isDone());
                    assertSame(
                            thrown,
                            assertThrows(CompletionException.class, call::join).getCause());
                }
            }
        }
        assertEquals(0, attempts.get());
    }

    @Test
    @DisplayName("is what a blocking call throws")
    void blocking() {
        IllegalStateException thrown = new IllegalStateException("no context");
        for (JavaRetrier retrier : brokenBy(thrown)) {
            assertSame(thrown, assertThrows(IllegalStateException.class, () -> retrier.call(this::count)));
            assertSame(thrown, assertThrows(IllegalStateException.class, () -> retrier.outcome(this::count)));
        }
        assertEquals(0, attempts.get());
    }

    @Test
    @DisplayName("does not hide what is wrong with the arguments")
    void arguments() {
        JavaRetrier retrier = brokenBy(new IllegalStateException()).get(0);
        assertThrows(NullPointerException.class, () -> retrier.callAsync((StageSupplier<String>) null));
        assertThrows(NullPointerException.class, () -> retrier.withOptions(null));
    }
}
