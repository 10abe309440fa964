package dev.reprise.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.Backoff;
import dev.reprise.core.RetryTrace;
import dev.reprise.core.Verdict;
import dev.reprise.java.JavaRetrier;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.retry.RetryException;
import org.springframework.core.retry.RetryOperations;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;

/** The cases that Spring's documentation of {@code RetryTemplate} has, for callers that do not change. */
@DisplayName("Spring's RetryOperations by a retrier")
class RetryOperationsTest {
    private final AtomicInteger calls = new AtomicInteger();
    private final RetryOperations operations =
            new RepriseRetryOperations(JavaRetrier.of(dev.reprise.core.RetryPolicy.builder()
                    .maxAttempts(4)
                    .noBackoff()
                    .noQuota()
                    .build()));

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

    @ParameterizedTest(name = "{0} retries")
    @ValueSource(ints = {0, 1, 3})
    @DisplayName("execute tells of the attempts before as a RetryTemplate does")
    void tellsOfEarlierAttempts(int retries) {
        RetryPolicy policy =
                RetryPolicy.builder().maxRetries(retries).delay(Duration.ZERO).build();
        RetryException own = giveUp(new RetryTemplate(policy));
        RetryException ours = giveUp(RepriseRetryOperations.of(policy));

        assertEquals(retries, ours.getRetryCount());
        assertEquals(own.getRetryCount(), ours.getRetryCount());
        assertEquals(messages(own), messages(ours));
        assertEquals(
                own.getLastException().getMessage(), ours.getLastException().getMessage());
    }

    @Test
    @DisplayName("execute tells of the last hundred attempts before, so that a call of many keeps its size")
    void tellsOfLastHundred() {
        RetryOperations many = new RepriseRetryOperations(JavaRetrier.of(dev.reprise.core.RetryPolicy.builder()
                .maxAttempts(1_000)
                .noBackoff()
                .noQuota()
                .build()));

        RetryException thrown = giveUp(many);

        assertEquals(
                IntStream.rangeClosed(900, 1_000).mapToObj(n -> "attempt " + n).toList(), messages(thrown));
    }

    private static RetryException giveUp(RetryOperations operations) {
        AtomicInteger calls = new AtomicInteger();
        return assertThrows(
                RetryException.class,
                () -> operations.execute(() -> {
                    throw new ConnectException("attempt " + calls.incrementAndGet());
                }));
    }

    private static List<String> messages(RetryException thrown) {
        return thrown.getExceptions().stream().map(Throwable::getMessage).toList();
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
    @DisplayName("invoke of a Runnable has no result to judge")
    void judgesNoRunnable() {
        RetryOperations judging = new RepriseRetryOperations(JavaRetrier.of(dev.reprise.core.RetryPolicy.builder()
                .onResult(result -> "ok".equals(result) ? null : Verdict.TRANSIENT)
                .build()));

        judging.invoke((Runnable) calls::incrementAndGet);

        assertEquals(1, calls.get());
    }

    @Test
    @DisplayName("an interrupt is no failure: it ends the call, and the flag stays set")
    void isInterrupted() {
        RetryOperations slow = new RepriseRetryOperations(JavaRetrier.of(dev.reprise.core.RetryPolicy.builder()
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

    @Test
    @DisplayName("an interrupt within an attempt ends the call in the same way")
    void isInterruptedInAttempt() {
        assertThrows(
                CancellationException.class,
                () -> operations.execute(() -> {
                    calls.incrementAndGet();
                    throw new InterruptedException();
                }));

        assertTrue(Thread.interrupted());
        assertEquals(1, calls.get());
    }
}
