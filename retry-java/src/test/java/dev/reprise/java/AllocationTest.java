package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.reprise.core.Backoff;
import dev.reprise.core.CallOptions;
import dev.reprise.core.RetryPolicy;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** What the JVM counts, and not how long anything takes: these tests are as true on a busy machine. */
class AllocationTest {
    private static final int CALLS = 1_000_000;
    private static final int RETRIES = 100_000;
    private static final int GIVE_UPS = 50_000;
    private static final Object ANSWER = new Object();

    private static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Refused() {
            super("refused", null, false, false);
        }
    }

    private final JavaRetrier retrier = JavaRetrier.of(RetryPolicy.builder()
            .backoff(Backoff.IMMEDIATE)
            .retryOn(Refused.class)
            .build());

    @Test
    void a_million_calls_through_a_view_that_is_held_allocate_nothing_either() {
        JavaRetrier view = retrier.withOptions(CallOptions.named("read"));
        long bytes = bytesAllocatedBy(() -> {
            for (int i = 0; i < CALLS; i++) assertSame(ANSWER, view.call(() -> ANSWER));
        });
        assertTrue(bytes < CALLS / 100, () -> bytes + " B in " + CALLS + " calls");
    }

    @Test
    void a_failure_and_its_retry_allocate_no_more_than_192_bytes() {
        Refused refused = new Refused();
        boolean[] fails = {false};
        long bytes = bytesAllocatedBy(() -> {
            for (int i = 0; i < RETRIES; i++) {
                fails[0] = true;
                retrier.call(() -> {
                    if (!fails[0]) return ANSWER;
                    fails[0] = false;
                    throw refused;
                });
            }
        });
        // The 24 bytes are the test's own: a lambda that captures.
        assertTrue(bytes <= (192L + 24) * RETRIES, () -> bytes + " B in " + RETRIES + " calls");
        assertEquals(500, retrier.retrier().getQuota().getAvailable());
    }

    /** With three failures: 376 and 512 bytes once all is inlined, 24 of them for the place of the call in its mark. */
    @Test
    void a_call_that_gives_up_allocates_no_more_than_512_bytes_and_with_a_trace_600() {
        givesUpWithin(512, false);
        givesUpWithin(600, true);
    }

    private void givesUpWithin(long limit, boolean traces) {
        Refused refused = new Refused();
        JavaRetrier failing = JavaRetrier.of(
                retrier.policy().toBuilder().noQuota().trace(traces).build());
        ThrowingSupplier<Object, RuntimeException> refusing = () -> {
            throw refused;
        };
        long bytes = bytesAllocatedBy(() -> {
            for (int i = 0; i < GIVE_UPS; i++) {
                try {
                    failing.call(refusing);
                } catch (Refused e) {
                    assertSame(refused, e);
                }
            }
        });
        assertTrue(bytes <= limit * GIVE_UPS, () -> bytes + " B in " + GIVE_UPS + " calls");
    }

    /**
     * The bytes that this thread allocates while {@code calls} run, once they have run so often that they are compiled.
     */
    private static long bytesAllocatedBy(Runnable calls) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (int i = 0; i < 10; i++) calls.run();
        long before = threads.getCurrentThreadAllocatedBytes();
        calls.run();
        return threads.getCurrentThreadAllocatedBytes() - before;
    }
}
