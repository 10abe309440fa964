package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.reprise.core.Backoff;
import dev.reprise.core.RetryEvent;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.SendRateSettings;
import dev.reprise.core.TokenBucketSettings;
import dev.reprise.core.shell.quota.RetryQuota;
import dev.reprise.core.shell.rate.RateOutcome;
import dev.reprise.core.shell.rate.SendRate;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Permit and tokens of an attempt come back if its call ends before any thread began its work. */
@DisplayName("A future that is cancelled before an attempt's work begins")
@Timeout(60)
class WithdrawnTest {
    private static final RetryPolicy POLICY = RetryPolicy.builder()
            .sendRate(SendRateSettings.EXACT)
            .backoff(Backoff.fixed(Duration.ofMillis(1)))
            .quota(TokenBucketSettings.builder().capacity(100).build())
            .build();

    /** Two permits. */
    private static final class Permits extends SendRate {
        final AtomicInteger there = new AtomicInteger(2);

        Permits() {
            super(SendRateSettings.EXACT, 0);
        }

        @Override
        public boolean isOn() {
            return true;
        }

        @Override
        public boolean tryTake(long now) {
            return there.getAndDecrement() > 0;
        }

        @Override
        public void putBack() {
            there.incrementAndGet();
        }

        @Override
        public void record(RateOutcome outcome, long sentAt, long now) {}
    }

    private final Permits permits = new Permits();
    private final RetryQuota quota = new RetryQuota(100);
    private final AtomicInteger worked = new AtomicInteger();

    @Test
    @DisplayName("gives back its permit while the work waits in an executor's queue")
    void queued() {
        BlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
        JavaRetrier retrier = JavaRetrier.builder(POLICY).sendRate(permits).build();
        CompletableFuture<Integer> call = retrier.callAsync(worked::incrementAndGet, queue::add);
        assertEquals(1, permits.there.get());

        call.cancel(true);
        assertEquals(2, permits.there.get());
        queue.forEach(Runnable::run);
        assertEquals(0, worked.get());
        assertEquals(2, permits.there.get());
    }

    @Test
    @DisplayName("gives back permit and tokens of a retry whose start cancels it")
    void started() throws Exception {
        AtomicReference<CompletableFuture<Object>> call = new AtomicReference<>();
        BlockingQueue<RetryEvent> ends = new LinkedBlockingQueue<>();
        JavaRetrier retrier = JavaRetrier.builder(POLICY)
                .sendRate(permits)
                .quota(quota)
                .listener(event -> {
                    if (event instanceof RetryEvent.AttemptStarted started && started.getAttempt() == 2)
                        call.get().cancel(true);
                    if (event instanceof RetryEvent.CallCancelled) ends.add(event);
                })
                .build();
        CompletableFuture<IOException> fails = new CompletableFuture<>();
        call.set(retrier.callAsync(() -> {
            worked.incrementAndGet();
            return fails.thenCompose(CompletableFuture::failedFuture);
        }));
        fails.complete(new IOException("reset"));

        ends.poll(30, TimeUnit.SECONDS);
        assertThrows(CancellationException.class, call.get()::join);
        assertEquals(
                "1 attempt, 1 permit, 100 tokens",
                worked + " attempt, " + permits.there + " permit, " + quota.getAvailable() + " tokens");
    }
}
