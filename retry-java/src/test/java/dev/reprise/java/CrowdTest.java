package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.reprise.core.Backoff;
import dev.reprise.core.RetryPolicy;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("A hundred thousand calls in mid-wait")
@Timeout(120)
class CrowdTest {
    private static final int CALLS = 100_000;

    private final IOException failure = new IOException("reset");
    private final AtomicInteger failures = new AtomicInteger();

    private static JavaRetrier waiting(Duration wait) {
        return JavaRetrier.of(RetryPolicy.builder()
                .backoff(Backoff.fixed(wait))
                .noQuota()
                .trace(false)
                .build());
    }

    private static int threads() {
        return ManagementFactory.getThreadMXBean().getThreadCount();
    }

    private static long usedBytes() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    @Test
    @DisplayName("need no threads of their own as futures, and little room")
    void futures() {
        JavaRetrier retrier = waiting(Duration.ofHours(1));
        CompletableFuture<String> failed = CompletableFuture.failedFuture(failure);
        retrier.callAsync(() -> failed).cancel(true);
        int threads = threads();
        long before = usedBytes();
        List<CompletableFuture<String>> calls = new ArrayList<>(CALLS);

        for (int i = 0; i < CALLS; i++) calls.add(retrier.callAsync(() -> failed));

        long bytes = (usedBytes() - before) / CALLS;
        System.out.println("bytes for each call in flight: " + bytes + ", threads: " + (threads() - threads));
        assertTrue(threads() - threads <= 2, () -> "threads: " + (threads() - threads));
        assertTrue(bytes < 800, () -> "bytes for each call: " + bytes);

        calls.forEach(call -> call.cancel(true));
        long left = leftBehind(before);
        assertTrue(left < 150, () -> "bytes left behind by each call: " + left);
    }

    /**
     * From JDK 25 on the JDK's timer lets go of what was cancelled on a thread of its own, so that it may take a
     * moment.
     */
    private static long leftBehind(long before) {
        long left = (usedBytes() - before) / CALLS;
        for (int i = 0; left >= 150 && i < 100; i++) {
            LockSupport.parkNanos(50_000_000);
            left = (usedBytes() - before) / CALLS;
        }
        return left;
    }

    @Test
    @DisplayName("all come to their end as futures")
    void futuresEnd() {
        JavaRetrier retrier = waiting(Duration.ofMillis(200));
        List<CompletableFuture<String>> calls = new ArrayList<>(CALLS);

        int threads = threads();
        ManagementFactory.getThreadMXBean().resetPeakThreadCount();

        for (int i = 0; i < CALLS; i++)
            calls.add(retrier.callAsyncWithAttempt(attempt -> {
                if (attempt.getNumber() > 1) return CompletableFuture.completedFuture("done");
                failures.incrementAndGet();
                return CompletableFuture.failedFuture(failure);
            }));

        for (CompletableFuture<String> call : calls) assertEquals("done", call.join());
        assertEquals(CALLS, failures.get());
        int extra = ManagementFactory.getThreadMXBean().getPeakThreadCount() - threads;
        // A few, and a few more on a machine so busy that they seem to be blocked.
        assertTrue(extra <= 64, () -> "threads at the peak: " + extra);
    }

    @Test
    @DisplayName("fit on virtual threads, on JDK 21 and newer")
    void virtualThreads() throws Exception {
        assumeTrue(Runtime.version().feature() >= 21);
        ExecutorService perCall = (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        JavaRetrier retrier = waiting(Duration.ofSeconds(2));
        CountDownLatch done = new CountDownLatch(CALLS);
        int threads = threads();
        for (int i = 0; i < CALLS; i++)
            perCall.execute(() -> {
                String result = retrier.<String>outcomeWithAttempt(attempt -> {
                            if (attempt.getNumber() > 1) return "done";
                            failures.incrementAndGet();
                            throw failure;
                        })
                        .getOrThrow();
                if ("done".equals(result)) done.countDown();
            });
        while (failures.get() < CALLS / 2) Thread.sleep(10);
        int extra = threads() - threads;

        done.await();

        System.out.println("platform threads for virtual ones in mid-wait: " + extra);
        assertTrue(extra <= 16, () -> "platform threads: " + extra);
        assertEquals(CALLS, failures.get());
        perCall.shutdown();
    }
}
