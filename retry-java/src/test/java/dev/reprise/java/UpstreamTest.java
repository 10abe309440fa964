package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.reprise.core.Backoff;
import dev.reprise.core.Hedge;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.Upstream;
import dev.reprise.core.WhenRetriedBelow;
import dev.reprise.core.shell.call.ServedRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A Java caller that serves a retry")
class UpstreamTest {
    private final JavaRetrier retrier = JavaRetrier.of(RetryPolicy.builder()
            .backoff(Backoff.fixed(Duration.ofMillis(1)))
            .noQuota()
            .build());
    private final AtomicInteger attempts = new AtomicInteger();

    private int fails() throws IOException {
        attempts.incrementAndGet();
        throw new IOException("down");
    }

    private int attemptsOfCall() {
        attempts.set(0);
        assertThrows(IOException.class, () -> retrier.call(this::fails));
        return attempts.get();
    }

    private int attemptsOfFuture() {
        attempts.set(0);
        CompletableFuture<Integer> future = retrier.callAsync(this::fails, Runnable::run);
        assertThrows(CompletionException.class, future::join);
        return attempts.get();
    }

    @Test
    @SuppressWarnings("try")
    @DisplayName("makes one attempt, on the thread and in a future")
    void oneAttempt() {
        try (var serving = Serving.open(new Upstream(2, 3))) {
            assertEquals(1, attemptsOfCall());
            assertEquals(1, attemptsOfFuture());
        }
        assertEquals(3, attemptsOfCall());
        assertEquals(3, attemptsOfFuture());
    }

    @Test
    @SuppressWarnings("try")
    @DisplayName(
            "makes one attempt in a call within an attempt that an executor runs, and leaves nothing on its thread")
    void oneAttemptInside() throws Exception {
        ExecutorService threads = Executors.newSingleThreadExecutor();
        RetryPolicy hedged = RetryPolicy.builder()
                .hedge(Hedge.after(Duration.ofMinutes(1), 1.0))
                .build();
        JavaRetrier outer = JavaRetrier.builder(hedged).hedgeExecutor(threads).build();
        try (var serving = Serving.open(new Upstream(2, 3))) {
            assertEquals(1, outer.call(this::attemptsOfCall));
            assertEquals(1, outer.callAsync(this::attemptsOfCall, threads).join());
        }
        assertNull(threads.submit(ServedRequest::current).get());
        assertEquals(3, outer.call(this::attemptsOfCall));
        threads.shutdown();
    }

    @Test
    @SuppressWarnings("try")
    @DisplayName(
            "sends no copy, on the thread and in a future; for a first request, or if its policy retries all, it does")
    void noCopy() throws InterruptedException {
        assertEquals(List.of(1, 1), hedged(WhenRetriedBelow.STOP, 2));
        assertEquals(List.of(2, 2), hedged(WhenRetriedBelow.STOP, 1));
        assertEquals(List.of(2, 2), hedged(WhenRetriedBelow.RETRY, 2));
    }

    /** How often the work of a slow call is executed that serves such an attempt: on the thread, and in a future. */
    @SuppressWarnings("try")
    private static List<Integer> hedged(WhenRetriedBelow action, int upstream) throws InterruptedException {
        VirtualTime time = new VirtualTime();
        RetryPolicy policy = RetryPolicy.builder()
                .hedge(Hedge.after(Duration.ofMillis(50), 1.0))
                .whenRetriedBelow(action)
                .build();
        JavaRetrier retrier = time.retrier(policy)
                .hedgeExecutor(Runnable::run)
                .executor(Runnable::run)
                .build();
        AtomicInteger blocking = new AtomicInteger();
        AtomicInteger stages = new AtomicInteger();
        try (var serving = Serving.open(new Upstream(upstream))) {
            retrier.call(() -> {
                blocking.incrementAndGet();
                time.pass(100_000_000);
                return "done";
            });
            retrier.callAsync(() -> {
                stages.incrementAndGet();
                CompletableFuture<String> stage = new CompletableFuture<>();
                time.after(100_000_000, () -> stage.complete("done"));
                return stage;
            });
            time.runAll();
        }
        return List.of(blocking.get(), stages.get());
    }

    @Test
    @SuppressWarnings("try")
    @DisplayName("makes each attempt of a future for its request, on whatever thread it begins")
    void eachAttempt() {
        List<ServedRequest> served = new CopyOnWriteArrayList<>();
        try (var serving = Serving.open(new Upstream(1))) {
            CompletableFuture<Integer> future = retrier.callAsync(() -> {
                served.add(ServedRequest.current());
                return CompletableFuture.<Integer>failedFuture(new IOException("down"));
            });
            assertThrows(CompletionException.class, future::join);
            assertEquals(Collections.nCopies(3, ServedRequest.current()), served);
        }
    }

    @Test
    @SuppressWarnings("try")
    @DisplayName("makes all attempts of a first request, whatever limit it has")
    void allAttempts() {
        try (var serving = Serving.open(new Upstream(1).within(Duration.ofNanos(1)))) {
            assertEquals(3, attemptsOfCall());
        }
    }
}
