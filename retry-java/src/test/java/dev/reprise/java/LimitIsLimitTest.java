package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.AttemptTimeoutException;
import dev.reprise.core.Backoff;
import dev.reprise.core.RetryPolicy;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Real threads and real time: what is tested is that none of them is in the way. */
@DisplayName("A limit of a future")
@Timeout(60)
class LimitIsLimitTest {
    /** Much less than what holds the executors, and more than a busy machine is late. */
    private static final long SOON_MILLIS = 20_000;

    private static final RetryPolicy QUICK = RetryPolicy.builder()
            .maxAttempts(2)
            .backoff(Backoff.fixed(Duration.ofMillis(20)))
            .build();

    private final CountDownLatch end = new CountDownLatch(1);
    private final List<ExecutorService> pools = new ArrayList<>();

    /** Executors that take nothing, each in its way. */
    private final Map<String, Executor> executors = Map.of(
            "full",
            full(),
            "blocks its callers",
            this::blocks,
            "drops tasks",
            task -> {},
            "common pool",
            ForkJoinPool.commonPool());

    private void blocks(Runnable task) {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Executor full() {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        pools.add(pool);
        pool.execute(() -> blocks(null));
        return pool;
    }

    @BeforeEach
    void blockCommonPool() {
        for (int i = 0; i < 2 * ForkJoinPool.getCommonPoolParallelism(); i++)
            ForkJoinPool.commonPool().execute(() -> blocks(null));
    }

    @AfterEach
    void stop() {
        end.countDown();
        for (ExecutorService pool : pools) pool.shutdownNow();
    }

    static Stream<String> kinds() {
        return Stream.of("none", "full", "blocks its callers", "drops tasks", "common pool");
    }

    private JavaRetrier retrier(RetryPolicy policy, String executor) {
        JavaRetrierBuilder builder = JavaRetrier.builder(policy);
        if (!executor.equals("none")) builder.executor(executors.get(executor));
        return builder.build();
    }

    private static Throwable failureOf(CompletableFuture<?> call) {
        long start = System.nanoTime();
        Throwable failure = assertThrows(
                        CompletionException.class,
                        () -> call.orTimeout(40, TimeUnit.SECONDS).join())
                .getCause();
        long millis = (System.nanoTime() - start) / 1_000_000;
        assertTrue(millis < SOON_MILLIS, () -> millis + " ms");
        return failure;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("kinds")
    @DisplayName("of an attempt, or of the call, ends an attempt at its time, whatever holds the executor")
    void inAttempt(String executor) {
        RetryPolicy once = QUICK.toBuilder()
                .maxAttempts(1)
                .attemptTimeout(Duration.ofMillis(100))
                .build();
        RetryPolicy limited = QUICK.toBuilder().deadline(Duration.ofMillis(100)).build();
        for (RetryPolicy policy : List.of(once, limited)) {
            JavaRetrier retrier = retrier(policy, executor);
            assertInstanceOf(
                    AttemptTimeoutException.class,
                    failureOf(retrier.callAsync(() -> new CompletableFuture<Integer>())));
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("kinds")
    @DisplayName("of the call ends it at its time, also if the executor does not take what follows a wait")
    void deadlineAfterWait(String executor) {
        RetryPolicy limited = QUICK.toBuilder().deadline(Duration.ofMillis(150)).build();
        CompletableFuture<Integer> call = retrier(limited, executor)
                .callAsyncWithAttempt(attempt -> attempt.getNumber() == 1
                        ? CompletableFuture.failedFuture(new IOException("reset"))
                        : new CompletableFuture<>());

        failureOf(call);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("kinds")
    @DisplayName("holds for work that an executor runs, or does not run")
    void onExecutor(String executor) {
        if (executor.equals("none") || executor.equals("blocks its callers")) return;
        RetryPolicy limited = QUICK.toBuilder().deadline(Duration.ofMillis(150)).build();
        CompletableFuture<Integer> call = JavaRetrier.of(limited).callAsync(() -> 1, executors.get(executor));

        assertInstanceOf(AttemptTimeoutException.class, failureOf(call));
    }

    @Test
    @DisplayName("is not held up by work that blocks the thread of a second attempt")
    void blockedStart() {
        RetryPolicy limited = QUICK.toBuilder().deadline(Duration.ofMillis(150)).build();
        List<CompletableFuture<Integer>> calls = new ArrayList<>();
        for (int i = 0; i < 20; i++)
            calls.add(JavaRetrier.of(limited).callAsyncWithAttempt(attempt -> {
                if (attempt.getNumber() == 1) return CompletableFuture.failedFuture(new IOException("reset"));
                blocks(null);
                return CompletableFuture.completedFuture(1);
            }));

        int begun = 0;
        for (CompletableFuture<Integer> call : calls) if (failureOf(call) instanceof AttemptTimeoutException) begun++;
        // On a busy machine the last ones may find their deadline over before a thread for them has begun.
        assertTrue(begun > 0, () -> "no second attempt has begun");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("kinds")
    @DisplayName("needs a future: whoever makes a call that ends at once has it, whatever the executor does")
    void madeAtOnce(String executor) {
        RetryPolicy once = QUICK.toBuilder().maxAttempts(1).build();
        CompletableFuture<Integer> call =
                retrier(once, executor).callAsync(() -> CompletableFuture.failedFuture(new IOException("reset")));

        assertInstanceOf(IOException.class, failureOf(call));
    }

    @Test
    @DisplayName("is not held up by an executor that blocks those who tell it of other calls' ends")
    void blockedExecutor() {
        RetryPolicy limited = QUICK.toBuilder()
                .maxAttempts(1)
                .attemptTimeout(Duration.ofMillis(50))
                .build();
        JavaRetrier retrier = retrier(limited, "blocks its callers");
        List<CompletableFuture<Integer>> calls = new ArrayList<>();
        // More than there are threads that carry out limits.
        for (int i = 0; i < 600; i++) calls.add(retrier.callAsync(() -> new CompletableFuture<>()));

        for (CompletableFuture<Integer> call : calls) assertInstanceOf(AttemptTimeoutException.class, failureOf(call));
    }

    @Test
    @DisplayName("is not held up by what depends on other calls' ends")
    void blockingDependents() {
        holdsBehind(100, () -> blocks(null));
    }

    /** A limit fires at its time behind the ends of other calls, each of which {@code blocks} its thread. */
    private static void holdsBehind(int others, Runnable blocks) {
        RetryPolicy once = QUICK.toBuilder()
                .maxAttempts(1)
                .attemptTimeout(Duration.ofMillis(50))
                .build();
        JavaRetrier retrier = JavaRetrier.of(once);
        CountDownLatch blocked = new CountDownLatch(others);
        for (int i = 0; i < others; i++)
            retrier.callAsync(() -> new CompletableFuture<Integer>()).whenComplete((result, failure) -> {
                blocked.countDown();
                blocks.run();
            });
        assertTrue(waitsFor(blocked));

        assertInstanceOf(
                AttemptTimeoutException.class, failureOf(retrier.callAsync(() -> new CompletableFuture<Integer>())));
    }

    private static boolean waitsFor(CountDownLatch latch) {
        try {
            return latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @DisplayName("needs no executor's thread for a wait: the next attempt begins at its time")
    void waits() throws Exception {
        CompletableFuture<String> call = JavaRetrier.of(QUICK)
                .callAsyncWithAttempt(attempt -> attempt.getNumber() == 1
                        ? CompletableFuture.failedFuture(new IOException("reset"))
                        : CompletableFuture.completedFuture(
                                Thread.currentThread().getName()));

        assertEquals("reprise-attempt", call.get(SOON_MILLIS, TimeUnit.MILLISECONDS));
    }

    @Test
    @DisplayName("and a result arrive on a helper thread if the executor does not take them at once")
    void completesWithoutExecutor() throws Exception {
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        CompletableFuture<Integer> call = retrier(QUICK, "full").callAsync(() -> stage);
        stage.complete(1);

        assertEquals(1, call.get(SOON_MILLIS, TimeUnit.MILLISECONDS));
    }

    @Test
    @DisplayName("costs a bounded number of threads, however many waits end together")
    void boundedThreads() {
        Set<String> names = Collections.synchronizedSet(new java.util.HashSet<>());
        JavaRetrier retrier = JavaRetrier.of(QUICK.toBuilder().noQuota().build());
        List<CompletableFuture<Object>> calls = new ArrayList<>();
        for (int i = 0; i < 10_000; i++)
            calls.add(retrier.callAsync(() -> {
                names.add(Thread.currentThread().getName()
                        + Thread.currentThread().getId());
                return CompletableFuture.failedFuture(new IOException("reset"));
            }));
        for (CompletableFuture<Object> call : calls) assertThrows(CompletionException.class, call::join);

        assertFalse(names.isEmpty());
        assertTrue(names.size() <= 257, () -> names.size() + " threads");
    }

    @Test
    @DisplayName("does not wait for a full pool of the retrier's own: a closed one ends the call")
    void closed() {
        ExecutorService gone = new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(1));
        gone.shutdown();
        JavaRetrier retrier = JavaRetrier.builder(
                        QUICK.toBuilder().attemptTimeout(Duration.ofMillis(50)).build())
                .executor(gone)
                .build();

        failureOf(retrier.callAsync(() -> new CompletableFuture<Integer>()));
    }

    @Test
    @DisplayName("is not held up by what depends on other calls' ends and waits for a socket, as if it ran")
    void dependentsOnSockets() throws Exception {
        try (ServerSocket server = new ServerSocket(0)) {
            holdsBehind(40, () -> accept(server));
        }
    }

    private static void accept(ServerSocket server) {
        try {
            server.accept().close();
        } catch (IOException e) {
            // The test is over.
        }
    }
}
