package dev.reprise.java.internal;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** In real time: the pool looks at its threads by the system's timer, and ends them by the system's clock. */
class GrowingPoolTest {
    private static final int FEW = 2;
    private static final int BLOCKED = 40;
    private static final int TASKS = 8;

    private final String name = "growing-pool-" + System.nanoTime();
    private final GrowingPool pool = new GrowingPool(name, FEW, 512, Duration.ofMillis(250));

    @Test
    void growsWhileItsThreadsAreBlockedAndComesBackUnderATrickleOfTasks() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(BLOCKED);
        CountDownLatch release = new CountDownLatch(1);
        for (int i = 0; i < BLOCKED; i++) {
            pool.execute(() -> {
                begun.countDown();
                waitFor(release);
            });
        }
        assertTrue(begun.await(30, TimeUnit.SECONDS), () -> threads() + " threads for " + BLOCKED + " blocked tasks");
        release.countDown();

        // One task each millisecond of real time: too many for any thread to be idle for a quarter of a second.
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (threads() > 3 * FEW && System.nanoTime() < end) {
            for (int i = 0; i < 10; i++) {
                pool.execute(() -> {});
                TimeUnit.MILLISECONDS.sleep(1);
            }
        }
        assertTrue(threads() <= 3 * FEW, () -> threads() + " threads for a trickle of tasks");
    }

    @Test
    void growsNoFurtherForThreadsThatAreWokenLate() throws InterruptedException {
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicLong most = new AtomicLong();
        // Threads that are woken, or have done their task, wait for a core behind these.
        for (int i = 0; i < 16; i++)
            begin(() -> {
                while (!isOver.get()) Thread.onSpinWait();
            });
        for (int i = 0; i < TASKS; i++)
            begin(() -> {
                while (!isOver.get()) CompletableFuture.runAsync(() -> {}, pool).join();
            });
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
        while (System.nanoTime() < end) {
            most.accumulateAndGet(threads(), Math::max);
            TimeUnit.MILLISECONDS.sleep(20);
        }
        isOver.set(true);
        assertTrue(most.get() <= 6 * TASKS, () -> most + " threads for " + TASKS + " tasks at once");
    }

    private static void begin(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        thread.start();
    }

    private static void waitFor(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(name))
                .count();
    }
}
