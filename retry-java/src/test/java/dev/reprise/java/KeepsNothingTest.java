package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.reprise.core.Hedge;
import dev.reprise.core.Polling;
import dev.reprise.core.RetryPolicy;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("A future that is kept, of a call that has ended,")
@Timeout(60)
class KeepsNothingTest {
    private static final ExecutorService POOL = Executors.newFixedThreadPool(2);
    private static final RetryPolicy POLICY = RetryPolicy.builder().noBackoff().build();
    private static final JavaRetrier RETRIER = JavaRetrier.of(POLICY);
    private static final JavaRetrier LIMITED = JavaRetrier.of(POLICY.toBuilder()
            .maxAttempts(1)
            .attemptTimeout(Duration.ofMillis(20))
            .build());
    private static final JavaRetrier HEDGED = JavaRetrier.of(
            POLICY.toBuilder().hedge(Hedge.after(Duration.ofMillis(1), 1.0)).build());
    private static final Polling POLLING = Polling.every(Duration.ofMillis(1), Duration.ofSeconds(20));

    private static CompletableFuture<Integer> slow(byte[] held) {
        return CompletableFuture.supplyAsync(
                () -> {
                    pause(10);
                    return held.length;
                },
                POOL);
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static final Map<String, BiFunction<JavaRetrier, byte[], CompletableFuture<?>>> FORMS = Map.of(
            "callAsync", (retrier, held) -> retrier.callAsync(() -> slow(held)),
            "callAsyncWithAttempt", (retrier, held) -> retrier.callAsyncWithAttempt(attempt -> slow(held)),
            "callAsync on an executor", (retrier, held) -> retrier.callAsync(() -> held.length, POOL),
            "outcomeAsync", (retrier, held) -> retrier.outcomeAsync(() -> slow(held)),
            "outcomeAsync on an executor", (retrier, held) -> retrier.outcomeAsync(() -> held.length, POOL),
            "pollUntilAsync", (retrier, held) -> retrier.pollUntilAsync(POLLING, n -> n > 1, () -> slow(held)));

    static Stream<String> forms() {
        return FORMS.keySet().stream().sorted();
    }

    @AfterAll
    static void stop() {
        POOL.shutdownNow();
    }

    private static void assertKeepsNothing(CompletableFuture<?> future, WeakReference<byte[]> held) {
        for (int i = 0; i < 200 && held.get() != null; i++) {
            System.gc();
            pause(10);
        }
        assertNull(held.get());
        Reference.reachabilityFence(future);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("forms")
    @DisplayName("keeps nothing of its work")
    void succeeded(String form) {
        for (JavaRetrier retrier : new JavaRetrier[] {RETRIER, HEDGED}) {
            byte[] held = new byte[1 << 20];
            WeakReference<byte[]> reference = new WeakReference<>(held);
            CompletableFuture<?> future = FORMS.get(form).apply(retrier, held);
            assertNotNull(future.join());
            held = null;
            assertKeepsNothing(future, reference);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("forms")
    @DisplayName("keeps nothing of its work if it was cancelled")
    void cancelled(String form) {
        byte[] held = new byte[1 << 20];
        WeakReference<byte[]> reference = new WeakReference<>(held);
        CompletableFuture<?> future = FORMS.get(form).apply(RETRIER, held);
        future.cancel(true);
        held = null;
        assertKeepsNothing(future, reference);
    }

    private static CompletableFuture<Integer> never(byte[] held) {
        return new CompletableFuture<Integer>().thenApply(nothing -> held.length);
    }

    private static CompletableFuture<Integer> timingOut(byte[] held) {
        return LIMITED.callAsync(() -> never(held));
    }

    @Test
    @DisplayName("keeps nothing of its work if it timed out")
    void timedOut() {
        byte[] held = new byte[1 << 20];
        WeakReference<byte[]> reference = new WeakReference<>(held);
        CompletableFuture<?> future = timingOut(held);
        assertThrows(RuntimeException.class, future::join);
        held = null;
        assertKeepsNothing(future, reference);
    }

    /**
     * The first attempt's stage, which its work keeps, never ends. Whatever the call ends with, that keeps none of it.
     */
    private static WeakReference<?> endOf(JavaRetrier retrier, CompletionStage<byte[]> kept, boolean succeeds) {
        CompletableFuture<byte[]> future = retrier.callAsyncWithAttempt(attempt -> {
            if (attempt.getNumber() == 1) return kept;
            if (succeeds) return CompletableFuture.supplyAsync(() -> new byte[1 << 20], POOL);
            throw new IllegalArgumentException("no");
        });
        return new WeakReference<>(future.handle((result, failure) -> failure == null ? result : failure)
                .join());
    }

    @Test
    @DisplayName("and its result, are not kept by an attempt that goes on, or a copy's rival")
    void attemptGoesOn() {
        JavaRetrier limited = JavaRetrier.of(
                RetryPolicy.builder().attemptTimeout(Duration.ofMillis(20)).build());
        CompletionStage<byte[]> kept = new CompletableFuture<byte[]>().minimalCompletionStage();
        for (JavaRetrier retrier : new JavaRetrier[] {limited, HEDGED}) {
            for (boolean succeeds : new boolean[] {true, false}) {
                WeakReference<?> end = endOf(retrier, kept, succeeds);
                for (int i = 0; i < 200 && end.get() != null; i++) {
                    System.gc();
                    pause(10);
                }
                assertNull(end.get());
            }
        }
        Reference.reachabilityFence(kept);
    }
}
