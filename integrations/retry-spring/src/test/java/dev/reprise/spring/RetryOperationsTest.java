package dev.reprise.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.RetryPolicy;
import dev.reprise.core.RetryTrace;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.java.JavaRetrier;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.core.retry.RetryException;
import org.springframework.core.retry.RetryOperations;

/** The cases that Spring's documentation of {@code RetryTemplate} has, for callers that do not change. */
@DisplayName("Spring's RetryOperations by a retrier")
class RetryOperationsTest {
    private final AtomicInteger calls = new AtomicInteger();
    private final RetryOperations operations = new RepriseRetryOperations(JavaRetrier.of(
            RetryPolicy.builder().maxAttempts(4).noBackoff().noQuota().build()));

    @Test
    @DisplayName("execute returns the result of the first attempt that succeeds")
    void succeeds() throws RetryException {
        assertEquals("ok", operations.execute(() -> {
            if (calls.incrementAndGet() < 3) throw new ConnectException();
            return "ok";
        }));
        assertEquals(3, calls.get());
    }

    @Test
    @DisplayName("execute wraps the last exception, which carries the trace")
    void givesUp() {
        RetryException thrown = assertThrows(
                RetryException.class,
                () -> operations.execute(() -> {
                    throw new ConnectException("attempt " + calls.incrementAndGet());
                }));

        assertEquals("attempt 4", thrown.getCause().getMessage());
        assertNotNull(RetryTrace.of(thrown));
    }

    @Test
    @DisplayName("invoke throws the last exception itself")
    void invokes() {
        assertThrows(
                UncheckedIOException.class,
                () -> operations.invoke((Runnable) () -> {
                    calls.incrementAndGet();
                    throw new UncheckedIOException(new ConnectException());
                }));
        assertEquals(4, calls.get());
        assertEquals("ok", operations.invoke(() -> "ok"));
    }

    @Test
    @DisplayName("an interrupt is no failure: it ends the call, and the flag stays set")
    void isInterrupted() {
        RetryOperations slow = new RepriseRetryOperations(JavaRetrier.of(RetryPolicy.builder()
                .backoff(Backoff.fixed(Duration.ofHours(1)))
                .build()));

        Throwable thrown = assertThrows(
                CancellationException.class,
                () -> slow.execute(() -> {
                    Thread.currentThread().interrupt();
                    throw new ConnectException();
                }));

        assertInstanceOf(CancellationException.class, thrown);
        assertTrue(Thread.interrupted());
    }
}
