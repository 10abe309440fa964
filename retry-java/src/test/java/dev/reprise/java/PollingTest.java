package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.reprise.core.BadResultException;
import dev.reprise.core.CallOptions;
import dev.reprise.core.Polling;
import dev.reprise.core.RetryOutcome;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.StopReason;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A poll")
class PollingTest {
    private static final Polling EVERY_SECOND = Polling.every(Duration.ofSeconds(1), Duration.ofMinutes(1));

    private final VirtualTime time = new VirtualTime();
    private final JavaRetrier retrier =
            time.retrier(RetryPolicy.STANDARD).executor(Runnable::run).build();
    private final AtomicInteger looks = new AtomicInteger();

    private int look() throws IOException {
        if (looks.incrementAndGet() == 2) throw new IOException("not up yet");
        return looks.get();
    }

    @Test
    @DisplayName("blocks until a result is good, past any quota")
    void blocking() throws IOException {
        int result = retrier.pollUntil(EVERY_SECOND, n -> n == 50, this::look);
        assertEquals(50, result);
        assertEquals(Duration.ofSeconds(49).toNanos(), time.nanoTime());
        assertEquals(500, retrier.retrier().getQuota().getAvailable());
        int named =
                retrier.withOptions(CallOptions.named("job")).pollUntil(EVERY_SECOND, (Number n) -> true, this::look);
        assertEquals(51, named);
    }

    @Test
    @DisplayName("throws at its deadline what it saw last, or tells it")
    void deadline() {
        BadResultException timeout =
                assertThrows(BadResultException.class, () -> retrier.pollUntil(EVERY_SECOND, n -> false, this::look));
        assertEquals(60, timeout.getResult());
        assertEquals(60, timeout.getAttempts());
        RetryOutcome<Integer> outcome = retrier.pollOutcome(EVERY_SECOND, n -> false, this::look);
        assertEquals(StopReason.DEADLINE, outcome.getReason());
        assertEquals(
                120, assertInstanceOf(RetryOutcome.BadResult.class, outcome).getValue());
    }

    @Test
    @DisplayName("holds no thread, and ends with the future that is cancelled")
    void async() {
        CompletableFuture<Integer> result = retrier.pollUntilAsync(
                EVERY_SECOND, n -> n == 5, () -> CompletableFuture.completedFuture(looks.incrementAndGet()));
        time.runAll();
        assertEquals(5, result.join());
        assertEquals(Duration.ofSeconds(4).toNanos(), time.nanoTime());

        CompletableFuture<Integer> onExecutor =
                retrier.pollUntilAsync(EVERY_SECOND, n -> false, looks::incrementAndGet, Runnable::run);
        time.runAll();
        CompletionException timeout = assertThrows(CompletionException.class, onExecutor::join);
        assertInstanceOf(BadResultException.class, timeout.getCause());

        CompletableFuture<RetryOutcome<Integer>> outcome =
                retrier.pollOutcomeAsync(EVERY_SECOND, n -> true, () -> CompletableFuture.completedFuture(1));
        assertEquals(StopReason.SUCCESS, outcome.join().getReason());

        CompletableFuture<Integer> cancelled = retrier.pollUntilAsync(
                EVERY_SECOND, n -> false, () -> CompletableFuture.completedFuture(looks.incrementAndGet()));
        int before = looks.get();
        cancelled.cancel(true);
        time.runAll();
        assertEquals(before, looks.get());
    }

    @Test
    @DisplayName("ends by the time that the work around it has left")
    void deadlines() {
        Duration[] left = {Duration.ofMillis(2500)};
        JavaRetrier bounded = time.retrier(RetryPolicy.STANDARD)
                .deadlines(() -> left[0])
                .executor(Runnable::run)
                .build();
        assertEquals(
                3, bounded.pollOutcome(EVERY_SECOND, n -> false, this::look).getAttempts());
        CompletableFuture<RetryOutcome<Integer>> later = bounded.pollOutcomeAsync(
                EVERY_SECOND, n -> false, () -> CompletableFuture.completedFuture(looks.incrementAndGet()));
        time.runAll();
        assertEquals(3, later.join().getAttempts());
        left[0] = null;
        assertEquals(
                60, bounded.pollOutcome(EVERY_SECOND, n -> false, this::look).getAttempts());
    }
}
