package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.RetryEvent;
import dev.reprise.core.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("An interrupt")
class InterruptionTest {
    private final VirtualTime time = new VirtualTime();
    private final AtomicInteger attempts = new AtomicInteger();
    private final List<RetryEvent> events = new ArrayList<>();
    private final JavaRetrier retrier = time.retrier(
                    RetryPolicy.builder().attemptTimeout(Duration.ofSeconds(2)).build())
            .listener(events::add)
            .build();

    @AfterEach
    void leavesNothingBehind() {
        assertFalse(Thread.interrupted(), "an interrupt leaked");
        assertEquals(0, time.pending(), "a timer leaked");
    }

    private void assertCancelled(int atAttempts) {
        assertEquals(atAttempts, attempts.get());
        assertEquals(500, retrier.retrier().getQuota().getAvailable());
        assertEquals(
                RetryEvent.CallCancelled.class, events.get(events.size() - 1).getClass());
    }

    private String failing() throws IOException {
        attempts.incrementAndGet();
        throw new IOException("reset");
    }

    /** Interrupts this thread in the middle of the first wait. */
    private void interruptInWait() {
        Thread caller = Thread.currentThread();
        time.after(20_000_000, caller::interrupt);
    }

    @Test
    @DisplayName("in a wait ends a call with a CancellationException and leaves the flag set")
    void inWait() {
        interruptInWait();

        assertThrows(CancellationException.class, () -> retrier.call(this::failing));

        assertTrue(Thread.interrupted());
        assertEquals(20_000_000, time.nanoTime());
        assertCancelled(1);
    }

    @Test
    @DisplayName("in a wait ends an interruptible call with an InterruptedException and clears the flag")
    void inInterruptibleWait() {
        interruptInWait();

        assertThrows(InterruptedException.class, () -> retrier.callInterruptibly(this::failing));

        assertCancelled(1);
    }

    @Test
    @DisplayName("in a wait is no outcome: it is thrown")
    void inOutcome() {
        interruptInWait();

        assertThrows(CancellationException.class, () -> retrier.outcome(this::failing));

        assertTrue(Thread.interrupted());
        assertCancelled(1);
    }

    @Test
    @DisplayName("in an attempt passes on the InterruptedException that the attempt throws")
    void inAttempt() {
        Thread caller = Thread.currentThread();
        time.after(10, caller::interrupt);
        InterruptedException thrown = assertThrows(
                InterruptedException.class,
                () -> retrier.call(() -> {
                    attempts.incrementAndGet();
                    time.pass(1_000);
                    return "late";
                }));

        assertEquals(0, thrown.getSuppressed().length);
        assertCancelled(1);
    }

    @Test
    @DisplayName("in an attempt that hides it behind a retryable failure stops the call")
    void hiddenInAttempt() {
        CancellationException thrown = assertThrows(
                CancellationException.class,
                () -> retrier.call(() -> {
                    Thread.currentThread().interrupt();
                    return failing();
                }));

        assertEquals("reset", thrown.getCause().getMessage());
        assertTrue(Thread.interrupted());
        assertCancelled(1);
    }

    @Test
    @DisplayName("during an attempt that succeeds all the same is left to the caller")
    void duringSuccess() {
        String result = retrier.call(() -> {
            Thread.currentThread().interrupt();
            return "done";
        });

        assertEquals("done", result);
        assertTrue(Thread.interrupted());
    }

    @Test
    @DisplayName("that comes with a failure that ends the call anyway does not replace it")
    void duringLastFailure() {
        IllegalStateException own = new IllegalStateException("final");

        IllegalStateException thrown = assertThrows(
                IllegalStateException.class,
                () -> retrier.call(() -> {
                    Thread.currentThread().interrupt();
                    throw own;
                }));

        assertSame(own, thrown);
        assertTrue(Thread.interrupted());
    }

    @Test
    @DisplayName("of the attempt timeout is no cancellation, also where the work wraps it")
    void ofTimeout() {
        String result = retrier.call(() -> {
            if (attempts.incrementAndGet() > 1) return "done";
            try {
                time.pass(60_000_000_000L);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("wrapped", e);
            }
            return "late";
        });

        assertEquals("done", result);
        assertEquals(2, attempts.get());
    }

    @Test
    @DisplayName("of the attempt timeout that the work ignores costs it its late result")
    void ofIgnoredTimeout() {
        String result = retrier.call(() -> {
            int number = attempts.incrementAndGet();
            if (number == 1) time.runNext();
            return "result " + number;
        });

        assertEquals("result 2", result);
    }

    @Test
    @DisplayName("of the attempt timeout is a timeout though the work restores the flag and passes the exception on")
    void ofTimeoutRestored() throws InterruptedException {
        String result = retrier.call(() -> {
            if (attempts.incrementAndGet() > 1) return "done";
            time.runNext();
            assertTrue(Thread.interrupted());
            Thread.currentThread().interrupt();
            throw new InterruptedException("textbook");
        });

        assertEquals("done", result);
        assertFalse(Thread.interrupted());
    }

    @Test
    @DisplayName("of the caller before the attempt timeout's stays the caller's")
    void ofCallerBeforeTimeout() {
        assertThrows(
                CancellationException.class,
                () -> retrier.call(() -> {
                    attempts.incrementAndGet();
                    Thread.currentThread().interrupt();
                    time.runNext();
                    return "late";
                }));

        assertTrue(Thread.interrupted());
        assertCancelled(1);
    }

    @Test
    @DisplayName("that was there before the call does not keep a first attempt from succeeding")
    void before() {
        Thread.currentThread().interrupt();

        assertEquals("done", retrier.call(() -> "done"));

        assertTrue(Thread.interrupted());
    }

    @Test
    @DisplayName("of the thread that an executor gives an attempt stops the call too")
    void onExecutor() {
        CompletableFuture<String> call = retrier.callAsync(
                () -> {
                    Thread.currentThread().interrupt();
                    return failing();
                },
                Runnable::run);

        Throwable root = assertThrows(CancellationException.class, call::join);
        // JDK 25 throws a copy, with the call's exception as its cause.
        while (root.getCause() != null) root = root.getCause();
        assertEquals("reset", root.getMessage());
        assertTrue(Thread.interrupted());
        assertCancelled(1);
    }
}
