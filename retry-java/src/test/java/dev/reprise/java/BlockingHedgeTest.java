package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.Attempt;
import dev.reprise.core.AttemptTimeoutException;
import dev.reprise.core.Hedge;
import dev.reprise.core.RetryEvent;
import dev.reprise.core.RetryOutcome;
import dev.reprise.core.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("A blocking call of a policy with a hedge")
class BlockingHedgeTest {
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final RetryPolicy policy = RetryPolicy.builder()
            .maxAttempts(1)
            .hedge(Hedge.after(Duration.ofMillis(1), 1.0))
            .build();

    @AfterEach
    void endsAllThreads() throws InterruptedException {
        threads.shutdown();
        // Whoever lost was interrupted: nothing holds a thread.
        assertTrue(threads.awaitTermination(20, TimeUnit.SECONDS));
    }

    private JavaRetrier retrier() {
        return JavaRetrier.builder(policy).hedgeExecutor(threads).build();
    }

    /** The first execution never ends by itself. */
    private static <T> T forever() throws InterruptedException {
        new CountDownLatch(1).await();
        throw new AssertionError();
    }

    @Test
    @DisplayName("returns the copy's result and interrupts the slow execution")
    void overtaken() throws Exception {
        List<String> executions = new CopyOnWriteArrayList<>();
        CountDownLatch firstRuns = new CountDownLatch(1);
        String result = retrier().callWithAttempt(attempt -> {
            // On a busy machine the copy's thread may be the first to run.
            if (attempt.isCopy()) assertTrue(firstRuns.await(20, TimeUnit.SECONDS));
            executions.add("attempt " + attempt.getNumber());
            firstRuns.countDown();
            return attempt.isCopy() ? "copy" : forever();
        });
        assertEquals("copy", result);
        assertEquals(List.of("attempt 1", "attempt 2"), executions);
    }

    @Test
    @DisplayName("cuts the slow execution, and only that, where no interrupt ends it")
    void cut() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch socket = new CountDownLatch(1);
        List<String> cuts = new CopyOnWriteArrayList<>();
        boolean isCopy = retrier().callWithAttempt(new BlockingAttempt<Boolean, RuntimeException>() {
            @Override
            public Boolean make(Attempt attempt) {
                if (!attempt.isCopy()) begun.countDown();
                // Where the copy overtakes a first execution that no thread has begun, there is nothing to cut.
                CountDownLatch awaited = attempt.isCopy() ? begun : socket;
                while (awaited.getCount() > 0) Thread.onSpinWait();
                return attempt.isCopy();
            }

            @Override
            public void cut(Attempt attempt) {
                cuts.add("attempt " + attempt.getNumber());
                socket.countDown();
            }
        });
        assertTrue(isCopy);
        // The copy's result is returned at once; the other execution may be cut a moment later.
        assertTrue(socket.await(20, TimeUnit.SECONDS));
        assertEquals(List.of("attempt 1"), cuts);
    }

    @Test
    @DisplayName(
            "throws its work's own exception, also one that futures use as a wrapper, and returns it in an outcome")
    void fails() {
        IOException no = new IOException("no");
        for (Exception failure : List.of(no, new ExecutionException(no), new CompletionException(no))) {
            BlockingAttempt<Object, Exception> work = attempt -> {
                throw failure;
            };
            assertSame(failure, assertThrows(Exception.class, () -> retrier().callWithAttempt(work)));
            RetryOutcome<Object> outcome = retrier().outcomeWithAttempt(work);
            assertSame(
                    failure,
                    assertInstanceOf(RetryOutcome.Failure.class, outcome).getFailure());
        }
    }

    @Test
    @DisplayName("throws its work's own cancellation")
    void cancels() {
        CancellationException own = new CancellationException("the work's own");
        BlockingAttempt<Object, RuntimeException> work = attempt -> {
            throw own;
        };
        assertSame(
                own, assertThrows(CancellationException.class, () -> retrier().callWithAttempt(work)));
        assertSame(
                own, assertThrows(CancellationException.class, () -> retrier().outcomeWithAttempt(work)));
    }

    @Test
    @DisplayName("ends when its thread is interrupted, with both executions")
    void interrupted() throws Exception {
        CountDownLatch copyRuns = new CountDownLatch(1);
        Thread caller = Thread.currentThread();
        threads.execute(() -> {
            try {
                copyRuns.await();
                caller.interrupt();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        assertThrows(
                InterruptedException.class,
                () -> retrier().callWithAttempt(attempt -> {
                    if (attempt.getNumber() == 2) copyRuns.countDown();
                    return forever();
                }));
        // The work took the interrupt, as without a hedge.
        assertFalse(Thread.interrupted());
    }

    @Test
    @DisplayName("ends when its thread is interrupted while it waits for its copy, which ends too")
    void interruptedWhileCopyRuns() throws Exception {
        CountDownLatch copyRuns = new CountDownLatch(1);
        CountDownLatch copyEnds = new CountDownLatch(1);
        Thread caller = Thread.currentThread();
        threads.execute(() -> {
            while (caller.getState() != Thread.State.WAITING || copyRuns.getCount() > 0) Thread.onSpinWait();
            caller.interrupt();
        });
        CancellationException thrown = assertThrows(
                CancellationException.class,
                () -> retrier().callWithAttempt(attempt -> {
                    if (!attempt.isCopy()) {
                        while (copyRuns.getCount() > 0) Thread.onSpinWait();
                        throw new IOException("reset");
                    }
                    copyRuns.countDown();
                    try {
                        return forever();
                    } finally {
                        copyEnds.countDown();
                    }
                }));
        assertTrue(Thread.interrupted());
        assertEquals("reset", thrown.getCause().getMessage());
        assertTrue(copyEnds.await(20, TimeUnit.SECONDS));
    }

    @Test
    @Timeout(60)
    @DisplayName("ends with its limit while its copy runs on, on a thread and as a future")
    void limitOfCopy() {
        RetryPolicy limited =
                policy.toBuilder().attemptTimeout(Duration.ofMillis(300)).build();
        JavaRetrier retrier =
                JavaRetrier.builder(limited).hedgeExecutor(threads).build();
        assertThrows(AttemptTimeoutException.class, () -> retrier.callWithAttempt(foreverAfterFailure()));
        CompletableFuture<String> future = retrier.callAsyncWithAttempt(foreverAfterFailure(), threads);
        Throwable failure = assertThrows(ExecutionException.class, () -> future.get(30, TimeUnit.SECONDS))
                .getCause();
        assertEquals(1, assertInstanceOf(AttemptTimeoutException.class, failure).getAttempt());
    }

    /** The work of one call: its first execution fails once its copy runs, which never ends by itself. */
    private static BlockingAttempt<String, Exception> foreverAfterFailure() {
        CountDownLatch copyRuns = new CountDownLatch(1);
        return attempt -> {
            if (attempt.isCopy()) {
                copyRuns.countDown();
                return forever();
            }
            copyRuns.await();
            throw new IOException("reset");
        };
    }

    @Test
    @DisplayName("runs its first execution on the caller's thread, and needs its executor for a copy alone")
    void onCallersThread() throws InterruptedException {
        threads.shutdown();
        ThreadLocal<String> tenant = new ThreadLocal<>();
        tenant.set("mine");
        AtomicReference<Thread> thread = new AtomicReference<>();
        String seen = retrier().call(() -> {
            thread.set(Thread.currentThread());
            // Longer than the time before a copy, which a closed executor does not take.
            Thread.sleep(20);
            return tenant.get();
        });
        assertEquals("mine", seen);
        assertSame(Thread.currentThread(), thread.get());
    }

    @Test
    @DisplayName("keeps no copy's interrupt, and its thread's own")
    void leavesNothingBehind() throws Exception {
        for (int i = 0; i < 200; i++) {
            retrier().callWithAttempt(attempt -> {
                if (attempt.isCopy()) return "copy";
                long until = System.nanoTime() + 1_500_000;
                while (System.nanoTime() < until) Thread.onSpinWait();
                return "first";
            });
            assertFalse(Thread.interrupted());
        }
    }

    @Test
    @Timeout(60)
    @DisplayName("waits for no thread that it holds: trees of nested calls end on pools of any size")
    void nested() throws Exception {
        for (int size = 1; size <= 8; size++) {
            ExecutorService pool = Executors.newFixedThreadPool(size);
            JavaRetrier nested = JavaRetrier.builder(policy).hedgeExecutor(pool).build();
            List<CompletableFuture<Integer>> callers = new ArrayList<>();
            try {
                for (int i = 0; i < 8; i++) callers.add(CompletableFuture.supplyAsync(() -> tree(nested, 3), threads));
                for (CompletableFuture<Integer> caller : callers) assertEquals(8, caller.get(50, TimeUnit.SECONDS));
            } finally {
                pool.shutdownNow();
            }
        }
    }

    /** A call with two calls inside, and so on; every other one is slow enough for a copy. */
    private static int tree(JavaRetrier retrier, int depth) {
        return retrier.callWithAttempt(attempt -> {
            if (depth == 0) return 1;
            long until = System.nanoTime() + 1_500_000L * (depth % 2);
            while (System.nanoTime() < until) Thread.onSpinWait();
            return tree(retrier, depth - 1) + tree(retrier, depth - 1);
        });
    }

    @Test
    @DisplayName("sends no copy without an executor, and runs on its own thread")
    void withoutExecutor() {
        AtomicInteger executions = new AtomicInteger();
        Thread thread = JavaRetrier.of(policy).call(() -> {
            executions.incrementAndGet();
            return Thread.currentThread();
        });
        assertEquals(Thread.currentThread(), thread);
        assertEquals(1, executions.get());
    }

    /** A pool of so many threads, which gives what they cannot take to {@code full}. */
    private static ThreadPoolExecutor pool(int threads, RejectedExecutionHandler full) {
        return new ThreadPoolExecutor(threads, threads, 1, TimeUnit.MINUTES, new SynchronousQueue<>(), full);
    }

    /**
     * Ends every wait at once on a thread of its own, and then opens {@code over}, once nothing that followed is left
     * to do.
     */
    private static JavaWaiter atOnce(CountDownLatch over) {
        return new JavaWaiter() {
            @Override
            public void await(Duration duration) {}

            @Override
            public Runnable after(Duration duration, Runnable task) {
                new Thread(() -> {
                            task.run();
                            ForkJoinPool.commonPool().awaitQuiescence(20, TimeUnit.SECONDS);
                            over.countDown();
                        })
                        .start();
                return () -> {};
            }
        };
    }

    @Test
    @Timeout(60)
    @DisplayName("goes on with the first execution if its executor takes no copy")
    void noRoom() throws InterruptedException {
        CountDownLatch refused = new CountDownLatch(1);
        ExecutorService pool = pool(1, new ThreadPoolExecutor.AbortPolicy());
        pool.execute(() -> {
            try {
                forever();
            } catch (InterruptedException e) {
                // The pool is closed.
            }
        });
        List<RetryEvent> told = new CopyOnWriteArrayList<>();
        JavaRetrier retrier = JavaRetrier.builder(policy)
                .hedgeExecutor(pool)
                .waiter(atOnce(refused))
                .listener(told::add)
                .build();
        try {
            String result = retrier.callWithAttempt(attempt -> {
                refused.await();
                return "first";
            });
            assertEquals("first", result);
            assertEquals(500, retrier.retrier().getQuota().getAvailable());
            assertEquals(
                    List.of("CallStarted", "AttemptStarted", "CallSucceeded"),
                    told.stream().map(event -> event.getClass().getSimpleName()).toList());
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    @Timeout(60)
    @DisplayName("is not held up by a copy that the executor runs on the thread that gives it")
    void callerRuns() throws InterruptedException {
        ExecutorService pool = pool(1, new ThreadPoolExecutor.CallerRunsPolicy());
        JavaRetrier retrier = JavaRetrier.builder(policy).hedgeExecutor(pool).build();
        CountDownLatch copyRuns = new CountDownLatch(1);
        try {
            String result = retrier.callWithAttempt(attempt -> {
                if (attempt.isCopy()) {
                    copyRuns.countDown();
                    forever();
                }
                copyRuns.await();
                return "first";
            });
            assertEquals("first", result);
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    @Timeout(60)
    @DisplayName("of a future goes on with the first stage if the executor takes no copy")
    void futureWithoutRoom() throws InterruptedException {
        CountDownLatch refused = new CountDownLatch(1);
        JavaRetrier retrier = JavaRetrier.builder(policy)
                .executor(task -> {
                    if (refused.getCount() > 0) throw new RejectedExecutionException("full");
                    // The future is completed on the executor.
                    task.run();
                })
                .waiter(atOnce(refused))
                .build();
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> future = retrier.callAsync(() -> stage);
        refused.await();
        stage.complete("first");
        assertEquals("first", future.join());
    }

    @Test
    @Timeout(60)
    @DisplayName("goes on with the first execution if its copy's thread is interrupted, on a thread and as a future")
    void copyInterrupted() throws Exception {
        assertEquals("first", retrier().callWithAttempt(firstAfterInterruptedCopy()));
        assertEquals(
                "first",
                retrier()
                        .callAsyncWithAttempt(firstAfterInterruptedCopy(), threads)
                        .get());
    }

    /** The work of one call: its copy may well have ended before the first execution has begun. */
    private static BlockingAttempt<String, Exception> firstAfterInterruptedCopy() {
        CountDownLatch copyEnds = new CountDownLatch(1);
        return attempt -> {
            if (attempt.isCopy()) {
                Thread.currentThread().interrupt();
                try {
                    forever();
                } finally {
                    copyEnds.countDown();
                }
            }
            copyEnds.await();
            // In real time: the copy's thread has to report, and nothing tells when it has.
            Thread.sleep(20);
            return "first";
        };
    }
}
