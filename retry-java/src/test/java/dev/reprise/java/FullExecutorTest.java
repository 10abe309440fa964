package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.reprise.core.AttemptTimeoutException;
import dev.reprise.core.Backoff;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.RetryTrace;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One pool for all that a retrier does: what runs on it must not keep its own end from coming. */
@DisplayName("Attempts that hold every thread of the retrier's own executor")
@Timeout(60)
class FullExecutorTest {
    private static final RetryPolicy POLICY = RetryPolicy.builder()
            .maxAttempts(2)
            .backoff(Backoff.fixed(Duration.ofMillis(1)))
            .attemptTimeout(Duration.ofMillis(50))
            .build();

    private final ExecutorService executor = Executors.newFixedThreadPool(2);
    private final JavaRetrier retrier =
            JavaRetrier.builder().policy(POLICY).executor(executor).build();

    @AfterEach
    void stop() {
        executor.shutdownNow();
    }

    @Test
    @DisplayName("are cut off by their timeout all the same, and the calls go on")
    void timeouts() {
        CountDownLatch never = new CountDownLatch(1);
        AtomicInteger attempts = new AtomicInteger();
        List<CompletableFuture<String>> calls = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            calls.add(retrier.callAsync(
                    () -> {
                        attempts.incrementAndGet();
                        never.await();
                        return "never";
                    },
                    executor));
        }
        for (CompletableFuture<String> call : calls) {
            Throwable failure =
                    assertThrows(CompletionException.class, call::join).getCause();
            assertInstanceOf(AttemptTimeoutException.class, failure);
        }
        // Some may have timed out in the executor's queue: those attempts never began.
        assertEquals(true, attempts.get() >= 2 && attempts.get() <= 12, () -> attempts + " attempts");
    }

    @Test
    @DisplayName("also in a queue: a later attempt that the executor does not begin has timed out like a first one")
    void queued() {
        CountDownLatch free = new CountDownLatch(1);
        ExecutorService single = Executors.newSingleThreadExecutor();
        try {
            assertTimesOut(retrier.callAsync(() -> ignoringInterrupts(free), single));
        } finally {
            free.countDown();
            single.shutdownNow();
        }
    }

    @Test
    @DisplayName("are others' perhaps, or it drops its tasks: a later attempt times out all the same")
    void heldByOthers() {
        CountDownLatch free = new CountDownLatch(1);
        for (int i = 0; i < 2; i++) executor.execute(() -> ignoringInterrupts(free));
        try {
            for (Executor none : List.of(executor, (Executor) task -> {})) {
                AtomicInteger attempts = new AtomicInteger();
                JavaRetrier given =
                        JavaRetrier.builder().policy(POLICY).executor(none).build();
                assertTimesOut(given.callAsync(() -> {
                    attempts.incrementAndGet();
                    return CompletableFuture.failedFuture(new IOException("reset"));
                }));
                assertEquals(1, attempts.get());
            }
        } finally {
            free.countDown();
        }
    }

    private static void assertTimesOut(CompletableFuture<?> call) {
        Throwable failure = assertThrows(CompletionException.class, call::join).getCause();
        assertInstanceOf(AttemptTimeoutException.class, failure);
        assertEquals(2, RetryTrace.of(failure).getAttempts());
    }

    private static String ignoringInterrupts(CountDownLatch free) {
        while (true) {
            try {
                free.await();
                return "late";
            } catch (InterruptedException e) {
                // Ignored.
            }
        }
    }
}
