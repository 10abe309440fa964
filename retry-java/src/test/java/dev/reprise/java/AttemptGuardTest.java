package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.AttemptTimeoutException;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.RetryTrace;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The interrupt of one attempt")
class AttemptGuardTest {
    /** A busy machine may stretch a try until its interrupt looks like one of the other kind. */
    private static final int TRIES = 20;

    @Test
    @DisplayName("is gone when the attempt has ended, however the two meet")
    void neverLeaks() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        int interrupted = 0;
        for (int i = 0; i < 1_000; i++) {
            AttemptGuard guard = new AttemptGuard();
            AtomicBoolean go = new AtomicBoolean();
            AtomicBoolean isReady = new AtomicBoolean();
            Future<Boolean> sent = other.submit(() -> {
                isReady.set(true);
                while (!go.get()) Thread.onSpinWait();
                return guard.interrupt();
            });
            while (!isReady.get()) Thread.onSpinWait();
            go.set(true);
            for (int spin = i % 50; spin > 0; spin--) Thread.onSpinWait();
            // One in a hundred comes for certain, however busy the machine is.
            while (i % 100 == 0 && !sent.isDone()) Thread.onSpinWait();

            boolean wasInterrupted = guard.end();

            assertFalse(Thread.interrupted(), "an interrupt leaked");
            assertEquals(wasInterrupted, sent.get());
            assertFalse(Thread.interrupted(), "an interrupt came late");
            if (wasInterrupted) interrupted++;
        }
        other.shutdown();
        assertTrue(interrupted >= 10);
    }

    @Test
    @DisplayName("does not come after the attempt's end")
    void comesTooLate() {
        AttemptGuard guard = new AttemptGuard();

        assertFalse(guard.end());
        assertFalse(guard.interrupt());
        assertFalse(Thread.interrupted());
    }

    @Test
    @DisplayName("leaves one that was there before")
    void leavesForeign() {
        AttemptGuard guard = new AttemptGuard();
        Thread.currentThread().interrupt();

        assertTrue(guard.interrupt());
        assertTrue(guard.end());

        assertTrue(Thread.interrupted());
        assertTrue(guard.isForeign());
    }

    private static RetryPolicy limited() {
        return RetryPolicy.builder()
                .maxAttempts(5)
                .noBackoff()
                .attemptTimeout(Duration.ofMillis(30))
                .build();
    }

    private static void spin(long millis) {
        long until = System.nanoTime() + millis * 1_000_000;
        while (System.nanoTime() < until) Thread.onSpinWait();
    }

    /** Takes the interrupt of the limit. */
    private static void untilLimit() {
        try {
            Thread.sleep(20_000);
            throw new AssertionError();
        } catch (InterruptedException e) {
            // The limit's.
        }
    }

    @Test
    @DisplayName("is told from the application's, which comes while the work winds down: the call ends")
    void ofApplication() {
        Thread caller = Thread.currentThread();
        boolean isTold = false;
        for (int tries = 0; tries < TRIES && !isTold; tries++) {
            AtomicInteger attempts = new AtomicInteger();
            Throwable end = assertThrows(
                    Exception.class,
                    () -> JavaRetrier.of(limited()).call(() -> {
                        attempts.incrementAndGet();
                        untilLimit();
                        spin(100);
                        new Thread(caller::interrupt).start();
                        spin(100);
                        throw new IOException("cut");
                    }));
            isTold = end instanceof CancellationException & Thread.interrupted() & attempts.get() == 1;
        }
        assertTrue(isTold);
    }

    @Test
    @DisplayName("is its own where the work sets the flag again, at once or at its end: the attempt has timed out")
    void setAgain() {
        for (boolean isAtOnce : new boolean[] {true, false}) {
            Throwable end = assertThrows(
                    AttemptTimeoutException.class,
                    () -> JavaRetrier.of(limited()).call(() -> {
                        untilLimit();
                        if (isAtOnce) Thread.currentThread().interrupt();
                        spin(60);
                        Thread.currentThread().interrupt();
                        throw new IOException("cut");
                    }));
            assertFalse(Thread.interrupted());
            assertEquals(5, RetryTrace.of(end).getAttempts());
        }
    }

    @Test
    @DisplayName(
            "is its own where the work stood still before it set the flag again, and after: the attempt has timed out")
    void setAgainLate() {
        // On a machine that lets the work stand still, the thread that looks for the flag comes late.
        AtomicBoolean isBusy = new AtomicBoolean(true);
        holdTimer(isBusy);
        try {
            Throwable end = assertThrows(
                    AttemptTimeoutException.class,
                    () -> JavaRetrier.of(limited()).call(() -> {
                        untilLimit();
                        spin(200);
                        Thread.currentThread().interrupt();
                        spin(200);
                        throw new IOException("cut");
                    }));
            assertFalse(Thread.interrupted());
            assertEquals(5, RetryTrace.of(end).getAttempts());
        } finally {
            isBusy.set(false);
        }
    }

    /** Each task of the timer but this one comes 5 ms late or more. */
    private static void holdTimer(AtomicBoolean isBusy) {
        JavaWaiter.SYSTEM.after(Duration.ofNanos(1), () -> {
            spin(15);
            if (isBusy.get()) holdTimer(isBusy);
        });
    }

    @Test
    @DisplayName("is its own where a lock took it and set it again, as a TLS socket's does: the attempt has timed out")
    void takenByLock() throws Exception {
        ReentrantLock lock = new ReentrantLock();
        CountDownLatch isHeld = new CountDownLatch(1);
        Thread holder = new Thread(() -> {
            lock.lock();
            isHeld.countDown();
            spin(150);
            lock.unlock();
        });
        holder.start();
        isHeld.await();
        Throwable end = assertThrows(
                AttemptTimeoutException.class,
                () -> JavaRetrier.of(limited()).call(() -> {
                    lock.lock();
                    lock.unlock();
                    spin(100);
                    throw new IOException("cut");
                }));
        assertFalse(Thread.interrupted());
        assertEquals(5, RetryTrace.of(end).getAttempts());
    }

    @Test
    @DisplayName("follows the limit that was set, which the timeout tells, also if it was armed late")
    void tellsLimit() {
        RetryPolicy once = limited().toBuilder()
                .maxAttempts(1)
                .attemptTimeout(Duration.ofMillis(50))
                .build();
        AtomicInteger readings = new AtomicInteger();
        // The clock's later readings come 37 ms later.
        JavaRetrier late = JavaRetrier.builder(once)
                .clock(() -> readings.getAndIncrement() < 2 ? 0 : 37_000_000)
                .build();
        AttemptTimeoutException timeout = assertThrows(
                AttemptTimeoutException.class,
                () -> late.call(() -> {
                    Thread.sleep(20_000);
                    return "never";
                }));
        assertEquals(Duration.ofMillis(50), timeout.getTimeout());
        assertEquals("attempt 1 took longer than 50ms", timeout.getMessage());
    }

    @Test
    @DisplayName("comes from no timer's thread: a thread may do what it likes when it is interrupted")
    void ofOwnThread() throws Exception {
        List<Thread> interrupting = new CopyOnWriteArrayList<>();
        Runnable call =
                () -> JavaRetrier.of(limited().toBuilder().maxAttempts(1).build())
                        .outcome(() -> {
                            Thread.sleep(20_000);
                            return "never";
                        });
        Thread thread = new Thread(call) {
            @Override
            public void interrupt() {
                interrupting.add(currentThread());
                super.interrupt();
            }
        };
        thread.start();
        thread.join();
        assertEquals(1, interrupting.size());
        assertEquals("reprise-helper", interrupting.get(0).getName());
    }
}
