package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.Hedge;
import dev.reprise.core.RetryOutcome;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.RetryTrace;
import dev.reprise.core.StopReason;
import dev.reprise.core.Verdict;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A blocking call")
class BlockingCallTest {
    private final VirtualTime time = new VirtualTime();
    private final JavaRetrier retrier = retrier(RetryPolicy.STANDARD);
    private final AtomicInteger attempts = new AtomicInteger();

    private JavaRetrier retrier(RetryPolicy policy) {
        return time.retrier(policy).build();
    }

    private String failingTimes(int failures) throws IOException {
        if (attempts.incrementAndGet() <= failures) throw new SocketTimeoutException("attempt " + attempts);
        return "done";
    }

    @Test
    @DisplayName("answers the first result that is accepted, after the policy's waits")
    void retries() throws IOException {
        String result = retrier.call(() -> failingTimes(2));

        assertEquals("done", result);
        assertEquals(List.of(50_000_000L, 100_000_000L), time.waits());
    }

    @Test
    @DisplayName("throws the last attempt's own checked exception, with a suppressed trace")
    void throwsItsOwn() {
        // The only checked exception of this lambda is an IOException, and so is that of the call.
        try {
            retrier.call(() -> failingTimes(9));
        } catch (IOException e) {
            assertEquals("attempt 3", e.getMessage());
            RetryTrace trace = RetryTrace.of(e);
            assertNotNull(trace);
            assertEquals(3, trace.getAttempts());
            assertEquals(StopReason.ATTEMPTS, trace.getReason());
            return;
        }
        throw new AssertionError("nothing was thrown");
    }

    @Test
    @DisplayName("asks for no throws clause where the work throws no checked exception")
    void infersNothing() {
        int length = retrier.call(() -> "work".length());

        assertEquals(4, length);
    }

    @Test
    @DisplayName("takes several checked exceptions as their common type")
    void infersCommonType() {
        Exception thrown = assertThrows(
                TimeoutException.class,
                () -> retrier.call(() -> {
                    if (attempts.incrementAndGet() < 3) throw new IOException("reset");
                    throw new TimeoutException("slow");
                }));

        assertEquals("slow", thrown.getMessage());
    }

    @Test
    @DisplayName("judges no result of work that has none, and asks no function of the user's about it")
    void judgesNoResult() throws IOException {
        RetryPolicy judging = RetryPolicy.builder()
                .onResult(result -> {
                    if (result == null) return Verdict.TRANSIENT;
                    throw new AssertionError(result);
                })
                .hedge(Hedge.after(java.time.Duration.ofSeconds(9)))
                .build();
        JavaRetrier hedging =
                JavaRetrier.builder(judging).hedgeExecutor(Runnable::run).build();
        for (JavaRetrier retrier : List.of(retrier(judging), hedging)) {
            attempts.set(0);
            retrier.run(() -> failingTimes(1));
            retrier.runWithAttempt(attempt -> failingTimes(0));

            assertEquals(3, attempts.get());
        }
    }

    @Test
    @DisplayName("tells the attempt its number, whether it is the last, what went before and how long it may take")
    void tellsContext() throws IOException {
        JavaRetrier timed = retrier(RetryPolicy.builder()
                .attemptTimeout(java.time.Duration.ofSeconds(2))
                .build());
        List<String> seen = new ArrayList<>();

        timed.callWithAttempt(attempt -> {
            seen.add(attempt.getNumber() + " " + attempt.isLast() + " " + attempt.getLastFailure() + " "
                    + attempt.getTimeLeftNanos());
            return failingTimes(2);
        });

        assertEquals(
                List.of(
                        "1 false null 2000000000",
                        "2 false java.net.SocketTimeoutException: attempt 1 2000000000",
                        "3 true java.net.SocketTimeoutException: attempt 2 2000000000"),
                seen);
    }

    @Test
    @DisplayName("tells an outcome instead of throwing")
    void tellsOutcome() {
        RetryOutcome<String> good = retrier.outcome(() -> failingTimes(1));
        attempts.set(0);
        RetryOutcome<String> bad = retrier.outcome(() -> failingTimes(9));

        assertEquals("done", assertInstanceOf(RetryOutcome.Success.class, good).getValue());
        assertEquals(2, good.getAttempts());
        assertEquals(50_000_000, good.getTotalDelay().toNanos());
        assertInstanceOf(SocketTimeoutException.class, ((RetryOutcome.Failure) bad).getFailure());
        assertEquals(StopReason.ATTEMPTS, bad.getReason());
    }

    @Test
    @DisplayName("discards each bad result that nobody gets, before the wait, and returns the last one")
    void discardsBadResults() {
        JavaRetrier choosy = retrier(RetryPolicy.builder()
                .onResult(result -> "busy".equals(result) ? Verdict.THROTTLING : null)
                .build());
        List<String> discarded = new ArrayList<>();

        String result = choosy.callWithAttempt(new BlockingAttempt<String, RuntimeException>() {
            @Override
            public String make(dev.reprise.core.Attempt attempt) {
                return "busy";
            }

            @Override
            public void discard(String busy) {
                discarded.add(busy + " after waits " + time.waits().size());
            }
        });

        assertEquals("busy", result);
        assertEquals(List.of("busy after waits 1", "busy after waits 2"), discarded);
    }

    @Test
    @DisplayName("shares quota and policy with a Kotlin retrier, both ways")
    void sharesQuota() {
        JavaRetrier shared = JavaRetrier.sharing(retrier.retrier());

        assertSame(retrier.retrier(), shared.retrier());
        assertSame(retrier.policy(), shared.policy());
        assertThrows(IOException.class, () -> retrier.call(() -> failingTimes(9)));
        assertEquals(500 - 28, shared.retrier().getQuota().getAvailable());
    }

    @Test
    @DisplayName("answers null where the work does")
    void answersNull() {
        assertNull(retrier.call(() -> null));
        assertTrue(time.waits().isEmpty());
    }
}
