package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.Attempt;
import dev.reprise.core.Backoff;
import dev.reprise.core.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("An asynchronous call, in real time,")
@Timeout(120)
class AsyncThreadsTest {
    private final ExecutorService mine = Executors.newSingleThreadExecutor(work -> new Thread(work, "mine"));
    private final JavaRetrier quick = JavaRetrier.of(
            RetryPolicy.builder().backoff(Backoff.fixed(Duration.ofMillis(1))).build());

    @AfterEach
    void stop() {
        mine.shutdownNow();
    }

    private static CompletableFuture<String> failTwice(int number) {
        return number < 3
                ? CompletableFuture.failedFuture(new IOException("reset"))
                : CompletableFuture.completedFuture(Thread.currentThread().getName());
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    @DisplayName("goes on after a wait on the executor that its work names")
    void goesOnWhereWorkSays() throws Exception {
        List<String> threads = Collections.synchronizedList(new ArrayList<>());
        AsyncAttempt<String> work = new AsyncAttempt<>() {
            @Override
            public CompletionStage<String> start(Attempt attempt) {
                threads.add(Thread.currentThread().getName());
                return failTwice(attempt.getNumber());
            }

            @Override
            public Executor executor() {
                return mine;
            }
        };
        quick.callAsyncWithAttempt(work).get();

        assertEquals(List.of(Thread.currentThread().getName(), "mine", "mine"), threads);
    }

    @Test
    @DisplayName("goes on and completes on the executor that its retrier was given")
    void completesWhereTold() throws Exception {
        JavaRetrier retrier =
                JavaRetrier.builder().policy(quick.policy()).executor(mine).build();
        // What depends on a future that is complete already runs where it is attached: the executor waits for that.
        CountDownLatch attached = new CountDownLatch(1);
        mine.execute(() -> awaitQuietly(attached));

        CompletableFuture<String> future = retrier.callAsyncWithAttempt(attempt -> failTwice(attempt.getNumber()));
        CompletableFuture<String> dependent =
                future.thenApply(thread -> thread + " " + Thread.currentThread().getName());
        attached.countDown();

        assertEquals("mine mine", dependent.get());
    }

    @Test
    @DisplayName("of a callable runs every attempt on the executor it was given")
    void runsOnExecutor() throws Exception {
        CompletableFuture<String> future = quick.callAsyncWithAttempt(
                attempt -> {
                    String name = Thread.currentThread().getName();
                    if (!attempt.isLast()) throw new IOException(name);
                    return name + " after " + attempt.getLastFailure().getMessage();
                },
                mine);

        assertEquals("mine after mine", future.get());
    }

    @Test
    @DisplayName("of a callable interrupts the attempt when it is cancelled, and the pool's thread stays clean")
    void interruptsAttempt() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        CompletableFuture<String> future = quick.callAsync(
                () -> {
                    begun.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        interrupted.complete(true);
                        throw e;
                    }
                    return "never";
                },
                mine);
        begun.await();

        future.cancel(true);

        assertTrue(interrupted.get(60, TimeUnit.SECONDS));
        assertFalse(mine.submit(() -> Thread.currentThread().isInterrupted()).get());
    }

    @Test
    @DisplayName("of a callable interrupts an attempt that takes too long, and tries again")
    void timesOutOnExecutor() throws Exception {
        // The second attempt has the time that a busy machine may take for it.
        JavaRetrier timed = JavaRetrier.of(quick.policy().toBuilder()
                .attemptTimeouts(Duration.ofMillis(20), Duration.ofMinutes(1))
                .build());
        CompletableFuture<String> future = timed.callAsyncWithAttempt(
                attempt -> {
                    if (attempt.getNumber() == 1) new CountDownLatch(1).await();
                    return "attempt " + attempt.getNumber();
                },
                mine);

        assertEquals("attempt 2", future.get());
    }

    @Test
    @DisplayName("fails when its executor rejects it")
    void failsOnRejection() {
        mine.shutdownNow();

        ExecutionException first = assertThrows(
                ExecutionException.class,
                () -> quick.callAsync(() -> "done", mine).get());
        JavaRetrier retrier =
                JavaRetrier.builder().policy(quick.policy()).executor(mine).build();
        ExecutionException later = assertThrows(
                ExecutionException.class,
                () -> retrier.callAsyncWithAttempt(attempt -> failTwice(attempt.getNumber()))
                        .get());

        assertInstanceOf(RejectedExecutionException.class, first.getCause());
        assertInstanceOf(RejectedExecutionException.class, later.getCause());
    }

    /** Runs {@code task} to its end elsewhere, and throws all the same. */
    private static void runsAndThrows(Runnable task) {
        CompletableFuture.runAsync(task, work -> new Thread(work).start()).join();
        throw new RejectedExecutionException("after all");
    }

    @Test
    @DisplayName("does not discard the result that it has delivered if its executor throws after that")
    void runsOnce() {
        JavaRetrier retrier = JavaRetrier.builder()
                .policy(quick.policy())
                .executor(AsyncThreadsTest::runsAndThrows)
                .build();
        CompletableFuture<String> stage = new CompletableFuture<>();
        List<String> discarded = Collections.synchronizedList(new ArrayList<>());
        AsyncAttempt<String> work = new AsyncAttempt<>() {
            @Override
            public CompletionStage<String> start(Attempt attempt) {
                return stage;
            }

            @Override
            public void discard(String result) {
                discarded.add(result);
            }
        };

        CompletableFuture<String> future = retrier.callAsyncWithAttempt(work);
        stage.complete("there");

        assertEquals("there", future.join());
        assertTrue(ForkJoinPool.commonPool().awaitQuiescence(60, TimeUnit.SECONDS));
        assertEquals(List.of(), discarded);
    }

    @Test
    @DisplayName("survives being cancelled at any moment")
    void survivesCancellation() throws Exception {
        for (int i = 0; i < 2_000; i++) {
            JavaRetrier retrier = JavaRetrier.of(RetryPolicy.builder()
                    .unlimitedAttempts()
                    .noQuota()
                    .backoff(Backoff.fixed(Duration.ofNanos(1 + i % 7 * 5_000)))
                    .build());
            CompletableFuture<String> future = retrier.callAsync(() -> CompletableFuture.supplyAsync(() -> {
                throw new java.io.UncheckedIOException(new IOException("reset"));
            }));
            long until = System.nanoTime() + i * 37L % 100_000;
            while (System.nanoTime() < until) Thread.onSpinWait();

            future.cancel(true);

            assertThrows(CancellationException.class, future::join);
        }
    }

    @Test
    @DisplayName("begins on its maker's thread, also if that completes another call on one of the library's")
    void beginsOnMakersThread() {
        JavaRetrier limited = JavaRetrier.of(RetryPolicy.builder()
                .maxAttempts(1)
                .attemptTimeout(Duration.ofMillis(20))
                .build());
        CompletableFuture<Thread> maker = new CompletableFuture<>();
        CompletableFuture<Thread> worker = new CompletableFuture<>();
        limited.callAsync(() -> new CompletableFuture<String>()).whenComplete((result, failure) -> {
            maker.complete(Thread.currentThread());
            limited.callAsync(() -> {
                worker.complete(Thread.currentThread());
                return new CompletableFuture<String>();
            });
        });

        assertSame(maker.join(), worker.join());
    }

    @Test
    @DisplayName("finds its caller's class loader in each attempt, and where its future completes")
    void classLoader() throws Exception {
        ClassLoader mine = new ClassLoader(null) {};
        JavaRetrier limited = JavaRetrier.of(RetryPolicy.builder()
                .maxAttempts(3)
                .backoff(Backoff.fixed(Duration.ofMillis(1)))
                .attemptTimeout(Duration.ofMillis(100))
                .build());
        List<ClassLoader> seen = Collections.synchronizedList(new ArrayList<>());
        Runnable sees = () -> seen.add(Thread.currentThread().getContextClassLoader());
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        Thread.currentThread().setContextClassLoader(mine);
        CompletableFuture<?> end;
        try {
            end = limited.callAsyncWithAttempt(attempt -> {
                        sees.run();
                        return attempt.getNumber() == 1
                                ? CompletableFuture.failedFuture(new IOException("reset"))
                                : new CompletableFuture<>();
                    })
                    .whenComplete((result, failure) -> sees.run());
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
        assertThrows(ExecutionException.class, end::get);

        assertEquals(List.of(mine, mine, mine, mine), seen);
    }
}
