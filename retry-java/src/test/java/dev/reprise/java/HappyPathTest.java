package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.reprise.core.RetryPolicy;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A first attempt that succeeds")
class HappyPathTest {
    private static final int CALLS = 20_000;

    private final CompletableFuture<String> done = CompletableFuture.completedFuture("done");
    private final JavaRetrier retrier = JavaRetrier.builder()
            .policy(RetryPolicy.STANDARD)
            .clock(() -> {
                throw new AssertionError("somebody looked at the clock");
            })
            .build();

    private static double bytesEach(Runnable call) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (int i = 0; i < CALLS; i++) call.run();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < CALLS; i++) call.run();
        return (double) (threads.getCurrentThreadAllocatedBytes() - before) / CALLS;
    }

    @Test
    @DisplayName("builds nothing in a blocking call, and does not look at the clock")
    void blocking() {
        double bytes = bytesEach(() -> retrier.call(() -> "done"));

        assertTrue(bytes < 1, () -> "bytes for each call: " + bytes);
    }

    @Test
    @DisplayName("builds nothing in an asynchronous call that is over at once")
    void async() {
        // What captures a variable is the caller's own object.
        StageSupplier<String> work = () -> done;

        double bytes = bytesEach(() -> retrier.callAsync(work));

        assertTrue(bytes < 1, () -> "bytes for each call: " + bytes);
    }

    @Test
    @DisplayName("fills a quota that is not full by one token")
    void refunds() {
        retrier.retrier().getQuota().tryTake(10, null);

        retrier.call(() -> "done");

        assertEquals(491, retrier.retrier().getQuota().getAvailable());
    }
}
