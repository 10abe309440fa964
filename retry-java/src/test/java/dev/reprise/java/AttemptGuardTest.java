package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The interrupt of one attempt")
class AttemptGuardTest {
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
}
