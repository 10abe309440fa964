package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.reprise.core.CallOptions;
import dev.reprise.core.Hedge;
import dev.reprise.core.Polling;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.SendRateSettings;
import dev.reprise.core.shell.rate.SendRate;
import dev.reprise.coroutines.Retrier;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** In a JVM of its own, whose common pool has the threads that it needs to help. */
@DisplayName("A blocking call in the common pool that waits, for a send permit or for its executions on other threads,")
@Timeout(60)
class ParkTest {
    private static final int CALLS = 12;

    @Test
    @DisplayName("parks, and runs no other task meanwhile")
    void parks() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djava.util.concurrent.ForkJoinPool.common.parallelism=3",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        ParkTest.class.getName())
                .redirectErrorStream(true)
                .start();
        List<String> lines = process.inputReader().lines().toList();
        assertEquals(0, process.waitFor(), () -> String.join("\n", lines));
    }

    @Test
    @DisplayName("lets the pool run its executions by another worker, if they need that pool too")
    void compensates() throws Exception {
        ForkJoinPool pool = new ForkJoinPool(1);
        try {
            JavaRetrier retrier = hedged(pool);
            for (int call = 0; call < CALLS; call++)
                assertEquals(
                        "done", pool.submit(() -> retrier.call(ParkTest::work)).get(30, TimeUnit.SECONDS));
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    @DisplayName("waits also if the pool has no more workers to run others")
    void needsNoWorker() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        ForkJoinPool pool = new ForkJoinPool(
                1, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, false, 1, 1, 1, null, 1, TimeUnit.MINUTES);
        try {
            for (JavaRetrier retrier : List.of(metered(), hedged(threads)))
                for (int call = 0; call < CALLS; call++)
                    assertEquals(
                            "done",
                            pool.submit(() -> retrier.call(ParkTest::work)).get(30, TimeUnit.SECONDS));
        } finally {
            pool.shutdownNow();
            threads.shutdownNow();
        }
    }

    /** Makes calls that wait, in tasks that a worker forked, and fails if one ran inside another. */
    public static void main(String[] args) {
        assertEquals(3, ForkJoinPool.getCommonPoolParallelism());
        ExecutorService threads = Executors.newCachedThreadPool();
        List<Function<JavaRetrier, Object>> forms = List.of(
                it -> it.call(ParkTest::work),
                it -> it.outcome(ParkTest::work),
                it -> it.pollUntil(Polling.every(Duration.ofSeconds(1), null), done -> true, ParkTest::work),
                it -> {
                    try {
                        return it.callInterruptibly(ParkTest::work);
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                },
                it -> it.withOptions(CallOptions.named("read")).call(ParkTest::work));
        try {
            for (JavaRetrier retrier : List.of(metered(), hedged(threads)))
                for (Function<JavaRetrier, Object> form : forms) assertEquals(1, deepest(() -> form.apply(retrier)));
        } finally {
            threads.shutdown();
        }
    }

    /** How many of the calls that a worker forked stood at most within one another on one thread. */
    private static int deepest(Runnable form) {
        ThreadLocal<Integer> depth = ThreadLocal.withInitial(() -> 0);
        AtomicInteger deepest = new AtomicInteger();
        Runnable call = () -> {
            depth.set(depth.get() + 1);
            deepest.accumulateAndGet(depth.get(), Math::max);
            form.run();
            depth.set(depth.get() - 1);
        };
        CompletableFuture.supplyAsync(() -> Stream.generate(() -> CompletableFuture.runAsync(call))
                        .limit(CALLS)
                        .toList())
                .join()
                .forEach(CompletableFuture::join);
        return deepest.get();
    }

    private static String work() {
        LockSupport.parkNanos(20_000_000);
        return "done";
    }

    /** A retrier whose attempts run on {@code threads}, and get no copy. */
    private static JavaRetrier hedged(Executor threads) {
        RetryPolicy policy =
                RetryPolicy.builder().hedge(Hedge.after(Duration.ofHours(1))).build();
        return JavaRetrier.builder(policy).hedgeExecutor(threads).build();
    }

    /** A retrier whose attempts get a permit each 5 ms. */
    private static JavaRetrier metered() {
        SendRateSettings settings = SendRateSettings.builder().minFillRate(200).build();
        long now = System.nanoTime();
        SendRate rate = new SendRate(settings, now);
        rate.record(true, now, now);
        return JavaRetrier.sharing(
                Retrier.builder(RetryPolicy.builder().sendRate(settings).build())
                        .sendRate(rate)
                        .build());
    }
}
