package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.reprise.core.Attempt;
import dev.reprise.core.AttemptTimeoutException;
import dev.reprise.core.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("An attempt that answers after its limit")
class LateResultTest {
    private final VirtualTime time = new VirtualTime();
    private final List<String> discarded = new ArrayList<>();

    /** Work whose limit fires while it runs, and which then gives {@code result} or throws {@code failure}. */
    private final class Late implements BlockingAttempt<String, Exception> {
        private final Exception failure;
        private final RuntimeException onDiscard;

        Late(Exception failure, RuntimeException onDiscard) {
            this.failure = failure;
            this.onDiscard = onDiscard;
        }

        @Override
        public String make(Attempt attempt) throws Exception {
            time.runNext();
            if (failure != null) throw failure;
            return "late";
        }

        @Override
        public void discard(String result) {
            discarded.add(result);
            if (onDiscard != null) throw onDiscard;
        }
    }

    private AttemptTimeoutException timeoutOf(Late work) {
        RetryPolicy policy = RetryPolicy.builder()
                .maxAttempts(1)
                .attemptTimeout(Duration.ofMillis(80))
                .trace(false)
                .build();
        JavaRetrier retrier = time.retrier(policy).build();
        AttemptTimeoutException timeout =
                assertThrows(AttemptTimeoutException.class, () -> retrier.callWithAttempt(work));
        assertFalse(Thread.interrupted(), "the attempt's interrupt is taken back");
        assertEquals(0, time.pending());
        return timeout;
    }

    private static List<Throwable> carriedBy(Throwable failure) {
        return List.of(failure.getSuppressed()).stream()
                .filter(carried -> !carried.getClass().getSimpleName().startsWith("GiveUp"))
                .toList();
    }

    @Test
    @DisplayName("has its result discarded, and times out")
    void discards() {
        assertEquals(List.of(), carriedBy(timeoutOf(new Late(null, null))));
        assertEquals(List.of("late"), discarded);
    }

    @Test
    @DisplayName("carries what its discard threw")
    void carriesDiscard() {
        RuntimeException broken = new IllegalStateException("cannot be closed");
        assertSame(broken, carriedBy(timeoutOf(new Late(null, broken))).get(0));
    }

    @Test
    @DisplayName("carries what it threw, unless that is the answer to its interrupt")
    void carriesFailure() {
        IOException failure = new IOException("reset");
        assertSame(failure, carriedBy(timeoutOf(new Late(failure, null))).get(0));
        assertEquals(List.of(), carriedBy(timeoutOf(new Late(new InterruptedException(), null))));
        assertEquals(List.of(), discarded);
    }
}
