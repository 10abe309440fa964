package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** In real time, which is what it keeps. */
@DisplayName("The waiter of the system")
@Timeout(60)
class JavaWaiterTest {
    private static final Duration SHORT = Duration.ofMillis(5);
    private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

    @Test
    @DisplayName("waits no less than it was asked, also if it is unparked")
    void wholeWait() throws InterruptedException {
        long start = System.nanoTime();
        // A permit that another wait left behind ends the first park at once.
        LockSupport.unpark(Thread.currentThread());
        JavaWaiter.SYSTEM.await(SHORT);
        assertTrue(System.nanoTime() - start >= SHORT.toNanos());
    }

    @Test
    @DisplayName("does not wait if the thread is interrupted, and stops when it is")
    void interrupted() throws InterruptedException {
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, () -> JavaWaiter.SYSTEM.await(FOREVER));
        assertFalse(Thread.interrupted());

        AtomicBoolean thrown = new AtomicBoolean();
        Thread waiting = new Thread(() -> {
            try {
                JavaWaiter.SYSTEM.await(FOREVER);
            } catch (InterruptedException expected) {
                thrown.set(true);
            }
        });
        waiting.start();
        waiting.interrupt();
        waiting.join();
        assertTrue(thrown.get());
    }

    @Test
    @DisplayName("runs a task once its time has come, but none that was cancelled or whose time never comes")
    void tasks() throws InterruptedException {
        AtomicBoolean ran = new AtomicBoolean();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch free = new CountDownLatch(1);
        JavaWaiter.SYSTEM.after(Duration.ofNanos(1), () -> hold(begun, free));
        begun.await();
        // Its one thread is held: what is due meanwhile can be cancelled yet.
        Runnable cancelled = JavaWaiter.SYSTEM.after(Duration.ofNanos(1), () -> ran.set(true));
        Runnable never = JavaWaiter.SYSTEM.after(FOREVER, () -> ran.set(true));
        CountDownLatch later = new CountDownLatch(1);
        long start = System.nanoTime();
        JavaWaiter.SYSTEM.after(SHORT, later::countDown);
        cancelled.run();
        free.countDown();
        later.await();
        assertTrue(System.nanoTime() - start >= SHORT.toNanos());
        assertFalse(ran.get());
        never.run();
    }

    private static void hold(CountDownLatch begun, CountDownLatch free) {
        begun.countDown();
        try {
            free.await();
        } catch (InterruptedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }
}
