package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.reprise.core.AttemptTimeoutException;
import dev.reprise.core.Backoff;
import dev.reprise.core.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
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
}
