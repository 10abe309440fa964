package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.Attempt;
import dev.reprise.core.Backoff;
import dev.reprise.core.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("Calls that are ended from outside at any moment, in real time,")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class ThreadStressTest {
    /** A taste in every build. */
    private static final int CALLS = System.getProperty("nightly") == null ? 800 : 60_000;

    /** Waits whose wake-ups may be lost: 20,000 in every build, a million at night. */
    private static final int WAITS =
            Integer.getInteger("stress.waits", System.getProperty("nightly") == null ? 20_000 : 1_000_000);

    private static final int WORKERS = 8;

    private final Books books = new Books();
    private final ExecutorService outside = Executors.newFixedThreadPool(WORKERS);
    private final JavaRetrier retrier = JavaRetrier.builder(RetryPolicy.builder()
                    .backoff(Backoff.fixed(Duration.ofNanos(50_000)))
                    .attemptTimeout(Duration.ofNanos(300_000))
                    .build())
            .quota(books.quota)
            .listener(books)
            .build();

    /** Pools of platform threads, and of virtual ones where there are any. */
    static Stream<String> pools() {
        return Runtime.version().feature() < 21 ? Stream.of("platform") : Stream.of("platform", "virtual");
    }

    private static ExecutorService pool(String kind) throws ReflectiveOperationException {
        if (kind.equals("platform")) return Executors.newFixedThreadPool(WORKERS);
        return (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }

    @AfterEach
    void stop() {
        outside.shutdownNow();
    }

    /** Work that fails, ends or takes its time, and answers an interrupt as it likes. */
    private final class Work implements BlockingAttempt<Object, IOException> {
        @Override
        public Object make(Attempt attempt) throws IOException {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            long until = System.nanoTime() + random.nextLong(600_000);
            boolean isBusy = random.nextInt(4) == 0;
            while (System.nanoTime() < until) {
                if (isBusy) Thread.onSpinWait();
                else LockSupport.parkNanos(until - System.nanoTime());
                if (Thread.currentThread().isInterrupted() && random.nextBoolean())
                    throw new IOException("interrupted");
            }
            if (random.nextInt(3) > 0) throw new IOException("reset");
            books.made.incrementAndGet();
            return new Object();
        }

        @Override
        public void discard(Object result) {
            books.discarded.incrementAndGet();
        }
    }

    private static void pause() {
        long until = System.nanoTime() + ThreadLocalRandom.current().nextLong(1_000_000);
        while (System.nanoTime() < until) Thread.onSpinWait();
    }

    @ParameterizedTest(name = "on {0} threads")
    @MethodSource("pools")
    @DisplayName("blocking and interrupted: each ends once, and no interrupt comes from nowhere")
    void interrupted(String kind) throws Exception {
        ExecutorService pool = pool(kind);
        AtomicLong stray = new AtomicLong();
        Callable<Void> worker = () -> {
            for (int i = 0; i < CALLS / WORKERS; i++) call(stray);
            return null;
        };
        List<Future<Void>> workers = new ArrayList<>();
        for (int i = 0; i < WORKERS; i++) workers.add(pool.submit(worker));

        for (Future<Void> each : workers) each.get();

        pool.shutdown();
        assertEquals(0, stray.get(), "interrupts that nobody sent");
        books.assertBalanced(CALLS);
    }

    /** One call, which another thread interrupts, or not. */
    private void call(AtomicLong stray) throws Exception {
        Thread caller = Thread.currentThread();
        boolean isInterrupted = ThreadLocalRandom.current().nextBoolean();
        Future<?> interrupt = isInterrupted
                ? outside.submit(() -> {
                    pause();
                    caller.interrupt();
                })
                : CompletableFuture.completedFuture(null);
        try {
            retrier.callWithAttempt(new Work());
            books.delivered.incrementAndGet();
        } catch (Exception e) {
            // Whatever it is: that it ends, and what it leaves, is looked at.
        }
        boolean isFlagged = Thread.interrupted();
        if (isFlagged && !isInterrupted) stray.incrementAndGet();
        uninterruptibly(interrupt);
        Thread.interrupted();
    }

    /**
     * Waits for {@code end}. Virtual threads that yield in a loop starve others that a platform thread has woken, one
     * that is about to hand over the task of the loop among them.
     */
    private static void uninterruptibly(Future<?> end) throws ExecutionException {
        while (true) {
            try {
                end.get();
                return;
            } catch (InterruptedException e) {
                // The interrupt that is waited for, or one of an attempt.
            }
        }
    }

    @ParameterizedTest(name = "on {0} threads")
    @MethodSource("pools")
    @DisplayName("asynchronous and cancelled: each ends once, and the pool's other tasks are not interrupted")
    void cancelled(String kind) throws Exception {
        ExecutorService pool = pool(kind);
        AtomicLong stray = new AtomicLong();
        // A pool takes an interrupt that is left on its thread for its own, and hides it.
        Executor watched = task -> pool.execute(() -> {
            task.run();
            if (Thread.interrupted()) stray.incrementAndGet();
        });
        List<Future<Boolean>> others = new ArrayList<>();
        List<CompletableFuture<Object>> ends = new ArrayList<>();
        for (int i = 0; i < CALLS; i++) {
            CompletableFuture<Object> call = retrier.callAsyncWithAttempt(new Work(), watched);
            ends.add(call.thenApply(result -> books.delivered.incrementAndGet()).handle((result, failure) -> null));
            others.add(pool.submit(() -> {
                LockSupport.parkNanos(20_000);
                return Thread.currentThread().isInterrupted();
            }));
            if (i % 2 == 0) continue;
            pause();
            call.cancel(true);
        }

        for (Future<Boolean> other : others) assertFalse(other.get());
        for (CompletableFuture<Object> end : ends) end.join();
        // A call that is cancelled ends before its attempt, which may still make a result.
        pool.shutdown();
        assertTrue(pool.awaitTermination(1, TimeUnit.MINUTES));

        assertEquals(0, stray.get(), "interrupts that were left behind");
        books.assertBalanced(CALLS);
    }

    @Test
    @DisplayName("and futures that wait for up to a millisecond again and again: no wake-up is lost")
    void waits() {
        int retries = 20;
        int together = 100;
        RetryPolicy restless = RetryPolicy.builder()
                .maxAttempts(retries + 1)
                .noQuota()
                .trace(false)
                .backoff(Backoff.custom(
                        retry -> Duration.ofNanos(ThreadLocalRandom.current().nextLong(1_000_000))))
                .build();
        List<JavaRetrier> retriers = List.of(
                JavaRetrier.of(restless),
                JavaRetrier.builder(restless).executor(outside).build());
        for (int left = WAITS; left > 0; left -= retries * together) {
            List<CompletableFuture<Object>> calls = new ArrayList<>();
            for (int i = 0; i < together; i++)
                calls.add(
                        retriers.get(i % 2).callAsync(() -> CompletableFuture.failedFuture(new IOException("reset"))));
            for (CompletableFuture<Object> call : calls)
                assertThrows(ExecutionException.class, () -> call.get(1, TimeUnit.MINUTES));
        }
    }
}
