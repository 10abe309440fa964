package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.Attempt;
import dev.reprise.core.AttemptTimeoutException;
import dev.reprise.core.Hedge;
import dev.reprise.core.RetryEvent;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.RetryPolicyBuilder;
import dev.reprise.core.shell.quota.RetryQuota;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A slow first attempt of a future")
class HedgeTest {
    private static final long MILLI = 1_000_000;

    private VirtualTime time = new VirtualTime();
    private final List<RetryEvent> events = new ArrayList<>();

    /** What an execution does: ends after so many ms with a result, a failure, or an error that is final. */
    private record Script(long millis, String kind) {}

    /** The executions of one call, by number of their attempt, each of which owns what it gives. */
    private final class Work implements AsyncAttempt<String> {
        final Script[] scripts;
        final List<String> given = new ArrayList<>();
        final List<String> discarded = new ArrayList<>();
        final List<CompletableFuture<String>> stages = new ArrayList<>();

        Work(Script... scripts) {
            this.scripts = scripts;
        }

        @Override
        public CompletionStage<String> start(Attempt attempt) {
            Script script = scripts[attempt.getNumber() - 1];
            CompletableFuture<String> stage = new CompletableFuture<>();
            stages.add(stage);
            time.after(script.millis() * MILLI, () -> {
                String name = script.kind() + attempt.getNumber();
                if (!script.kind().equals("good"))
                    stage.completeExceptionally(
                            script.kind().equals("retryable")
                                    ? new IOException(name)
                                    : new IllegalStateException(name));
                else if (stage.complete(name)) given.add(name);
            });
            return stage;
        }

        @Override
        public void discard(String result) {
            discarded.add(result);
        }
    }

    private JavaRetrier retrier(RetryPolicy policy, RetryQuota quota) {
        return time.retrier(policy)
                .quota(quota)
                .executor(Runnable::run)
                .listener(events::add)
                .build();
    }

    private static RetryPolicy policy() {
        return RetryPolicy.builder()
                .maxAttempts(1)
                .hedge(Hedge.after(Duration.ofMillis(50), 1.0))
                .build();
    }

    @AfterEach
    void leavesNoTimer() {
        time.runAll();
        assertEquals(0, time.pending());
    }

    @ParameterizedTest
    @ValueSource(strings = {"QuotaTaken", "HedgeStarted", "HedgeWon"})
    @DisplayName("may be cancelled by whoever hears of its copy: no event follows the end, and nobody's result is lost")
    void cancelledByListener(String heard) {
        Work work = new Work(new Script(1_000, "good"), new Script(10, "good"));
        AtomicReference<CompletableFuture<String>> future = new AtomicReference<>();
        JavaRetrier retrier = retrier(policy(), new RetryQuota()).with(event -> {
            if (event.getClass().getSimpleName().equals(heard)) future.get().cancel(true);
        });
        future.set(retrier.callAsyncWithAttempt(work));
        time.runAll();
        assertTrue(future.get().isCancelled());
        List<String> names = new ArrayList<>(List.of("CallStarted", "AttemptStarted", "QuotaTaken", "HedgeStarted"));
        if (heard.equals("HedgeWon")) names.addAll(List.of("HedgeWon", "QuotaRefunded", "CallSucceeded"));
        else names.add("CallCancelled");
        assertEquals(
                names,
                events.stream().map(event -> event.getClass().getSimpleName()).toList());
        assertEquals(work.given, work.discarded);
        assertTrue(work.stages.get(0).isCancelled());
    }

    @Test
    @DisplayName("and its copy end with the limit of the attempt")
    void timesOut() {
        RetryPolicy limited =
                policy().toBuilder().attemptTimeout(Duration.ofMillis(80)).build();
        Work work = new Work(new Script(1_000, "good"), new Script(1_000, "good"));
        CompletableFuture<String> future = retrier(limited, new RetryQuota()).callAsyncWithAttempt(work);
        time.runNext();
        time.runNext();
        assertInstanceOf(
                AttemptTimeoutException.class,
                future.handle((result, failure) -> failure).join());
        assertEquals(80 * MILLI, time.nanoTime());
        assertTrue(work.stages.stream().allMatch(CompletableFuture::isCancelled));
    }

    @Test
    @Timeout(60)
    @DisplayName(
            "and its copy are interrupted by the limit of the attempt, though they hold every thread of the executor")
    void holdEveryThread() throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        CountDownLatch interrupted = new CountDownLatch(2);
        Semaphore running = new Semaphore(0);
        AtomicReference<Thread> last = new AtomicReference<>();
        RetryPolicy limited =
                policy().toBuilder().attemptTimeout(Duration.ofMillis(80)).build();
        JavaRetrier retrier = time.retrier(limited)
                .executor(pool)
                .listener(event -> last.set(Thread.currentThread()))
                .build();
        CompletableFuture<String> future = retrier.callAsync(
                () -> {
                    running.release();
                    try {
                        new CountDownLatch(1).await();
                        return "never";
                    } finally {
                        interrupted.countDown();
                    }
                },
                pool);
        running.acquire();
        time.runNext();
        running.acquire();
        time.runNext();
        assertInstanceOf(
                AttemptTimeoutException.class,
                future.handle((result, failure) -> failure).join());
        interrupted.await();
        // This thread is the timer's, which runs no code of others.
        assertNotSame(Thread.currentThread(), last.get());
        pool.shutdown();
        assertTrue(pool.awaitTermination(10, TimeUnit.SECONDS));
    }

    @Test
    @DisplayName("is cancelled with its copy when the future is cancelled")
    void cancelled() {
        Work work = new Work(new Script(1_000, "good"), new Script(1_000, "good"));
        CompletableFuture<String> future = retrier(policy(), new RetryQuota()).callAsyncWithAttempt(work);
        time.runNext();
        future.cancel(true);
        assertEquals(2, work.stages.size());
        assertTrue(work.stages.stream().allMatch(CompletableFuture::isCancelled));
    }

    @Test
    @DisplayName(
            "ends once, with one outcome, no later than its limit; each result is returned or discarded, and a success leaves the quota whole")
    void anyOrder() {
        Random random = new Random(42);
        String[] kinds = {"good", "retryable", "final"};
        for (int i = 0; i < 20_000; i++) {
            time = new VirtualTime();
            RetryQuota quota = new RetryQuota();
            Work work = new Work(
                    new Script(random.nextInt(200), kinds[random.nextInt(3)]),
                    new Script(random.nextInt(150), kinds[random.nextInt(3)]));
            int limit = 51 + random.nextInt(200);
            RetryPolicyBuilder limited = policy().toBuilder();
            if (i % 3 == 0) limited.attemptTimeout(Duration.ofMillis(limit));
            if (i % 3 == 1) limited.deadline(Duration.ofMillis(limit));
            CompletableFuture<String> future = retrier(limited.build(), quota).callAsyncWithAttempt(work);
            int turns = random.nextInt(8);
            for (int turn = 0; turn < turns && time.pending() > 0; turn++) time.runNext();
            boolean isCancelled = random.nextInt(10) == 0 && future.cancel(false);
            time.runAll();
            assertTrue(future.isDone());
            List<String> delivered = new ArrayList<>();
            if (!future.isCompletedExceptionally()) delivered.add(future.join());
            if (!isCancelled)
                assertEquals(
                        expected(work.scripts, i % 3 == 2 ? Long.MAX_VALUE : limit),
                        outcomeOf(future),
                        () -> List.of(work.scripts).toString());
            if (!delivered.isEmpty()) assertEquals(500, quota.getAvailable());
            List<String> all = new ArrayList<>(work.discarded);
            all.addAll(delivered);
            assertEquals(
                    work.given.stream().sorted().toList(), all.stream().sorted().toList());
            assertFalse(delivered.size() > 1);
        }
    }

    private static String outcomeOf(CompletableFuture<String> future) {
        return future.handle((result, failure) -> failure == null ? result : failure.getMessage())
                .join();
    }

    private static String expected(Script[] scripts, long limit) {
        Script first = scripts[0];
        Script copy = scripts[1];
        // The delay was scheduled after the first execution, which ends first in the same moment.
        if (first.millis() <= 50) return first.kind() + 1;
        long copyEnds = 50 + copy.millis();
        // The limit was scheduled before either.
        String cut = new AttemptTimeoutException(1, limit * MILLI).getMessage();
        if (Math.min(first.millis(), copyEnds) >= limit) return cut;
        boolean isFirstFirst = first.millis() <= copyEnds;
        Script earlier = isFirstFirst ? first : copy;
        int number = isFirstFirst ? 1 : 2;
        if (!earlier.kind().equals("retryable")) return earlier.kind() + number;
        if (Math.max(first.millis(), copyEnds) >= limit) return cut;
        Script later = isFirstFirst ? copy : first;
        if (!later.kind().equals("retryable")) return later.kind() + (3 - number);
        return "retryable1";
    }
}
