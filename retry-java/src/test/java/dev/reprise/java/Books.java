package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.reprise.core.RetryEvent;
import dev.reprise.core.RetryListener;
import dev.reprise.core.shell.quota.RetryQuota;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** What many calls of one retrier told and made, to be balanced when all have ended. Safe for any number of threads. */
final class Books implements RetryListener {
    private static final long PATIENCE = 30_000_000_000L;

    final RetryQuota quota = new RetryQuota(100_000_000);
    final AtomicLong made = new AtomicLong();
    final AtomicLong delivered = new AtomicLong();
    final AtomicLong discarded = new AtomicLong();
    private final AtomicLong begun = new AtomicLong();
    private final AtomicLong ended = new AtomicLong();
    private final AtomicLong spent = new AtomicLong();

    @Override
    public void onEvent(RetryEvent event) {
        if (event instanceof RetryEvent.CallStarted) begun.incrementAndGet();
        if (event instanceof RetryEvent.CallSucceeded
                || event instanceof RetryEvent.CallGaveUp
                || event instanceof RetryEvent.CallCancelled) ended.incrementAndGet();
        if (event instanceof RetryEvent.QuotaTaken taken) spent.addAndGet(taken.getTokens());
        if (event instanceof RetryEvent.QuotaRefunded refunded) spent.addAndGet(-refunded.getTokens());
    }

    /** Each of {@code calls} ended once, tokens by events are tokens by counter, each result went to one place. */
    void assertBalanced(long calls) {
        long end = System.nanoTime() + PATIENCE;
        while (!isSettled(calls) && System.nanoTime() < end) LockSupport.parkNanos(1_000_000);
        assertEquals(calls, begun.get(), "calls that began");
        assertEquals(calls, ended.get(), "calls that ended");
        assertEquals(spent.get(), quota.getCapacity() - quota.getAvailable(), "tokens");
        assertEquals(made.get(), delivered.get() + discarded.get(), "results");
    }

    private boolean isSettled(long calls) {
        return ended.get() >= calls && made.get() == delivered.get() + discarded.get();
    }
}
