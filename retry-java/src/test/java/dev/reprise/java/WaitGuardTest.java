package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class WaitGuardTest {
    @Test
    @DisplayName("a wait ends at once, and no interrupt is left when the call is over")
    void endsAWait() {
        WaitGuard guard = new WaitGuard();
        new Thread(guard::fire).start();

        assertThrows(InterruptedException.class, () -> new CountDownLatch(1).await());

        assertTrue(guard.hasFired());
        guard.end();
        assertFalse(Thread.interrupted());
    }

    @Test
    @DisplayName("an interrupt that comes after the wait is taken back")
    void takesBack() {
        WaitGuard guard = new WaitGuard();
        guard.fire();
        guard.end();

        assertFalse(Thread.interrupted());
    }

    @Test
    @DisplayName("a wait for an attempt on another thread ends at once")
    void endsAWaitForAnotherThread() throws Exception {
        WaitGuard guard = new WaitGuard();
        Thread attempt = new Thread(() -> guard.attempt(true));
        attempt.start();
        attempt.join();
        guard.fire();

        assertTrue(guard.hasFired());
        assertTrue(Thread.interrupted());
        guard.end();
    }

    @Test
    @DisplayName("an attempt is not interrupted, nor whatever follows the call")
    void leavesAttemptsAlone() {
        WaitGuard guard = new WaitGuard();
        guard.attempt(true);
        guard.fire();
        assertFalse(guard.hasFired());
        guard.attempt(false);
        guard.end();
        guard.fire();

        assertFalse(guard.hasFired());
        assertFalse(Thread.interrupted());
    }

    @Test
    @DisplayName("an interrupt that was there before stays, and ends the wait by itself")
    void leavesTheInterruptOfOthers() {
        WaitGuard guard = new WaitGuard();
        Thread.currentThread().interrupt();
        guard.fire();
        guard.end();

        assertFalse(guard.hasFired());
        assertTrue(Thread.interrupted());
    }
}
