package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.Attempt;
import dev.reprise.core.Backoff;
import dev.reprise.core.CallOptions;
import dev.reprise.core.NoPermit;
import dev.reprise.core.OnBadResult;
import dev.reprise.core.RetryListener;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.RetryPolicyBuilder;
import dev.reprise.core.SendRateSettings;
import dev.reprise.core.Verdict;
import dev.reprise.core.shell.quota.RetryQuota;
import dev.reprise.core.shell.rate.SendRate;
import dev.reprise.coroutines.Retrier;
import dev.reprise.coroutines.shell.Waiter;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("An asynchronous call whose attempts have ended when they come back")
class StraightCallTest {
    private VirtualTime time = new VirtualTime();
    private final AtomicInteger attempts = new AtomicInteger();

    private JavaRetrier retrier(RetryPolicy policy) {
        return time.retrier(policy).build();
    }

    private JavaRetrier eager() {
        return retrier(RetryPolicy.builder().backoff(Backoff.IMMEDIATE).build());
    }

    private CompletableFuture<String> failing() {
        return CompletableFuture.failedFuture(new IOException("reset"));
    }

    @Test
    @DisplayName("is complete when it is returned, and sets no timer")
    void completeAtOnce() {
        CompletableFuture<String> own = CompletableFuture.completedFuture("done");

        CompletableFuture<String> future = eager().callAsync(() -> attempts.incrementAndGet() < 3 ? failing() : own);

        assertEquals("done", future.getNow("pending"));
        assertEquals(0, time.pending());
    }

    @Test
    @DisplayName("goes on later where a later attempt takes its time, and can then be cancelled")
    void handsOver() {
        CompletableFuture<String> slow = new CompletableFuture<>();
        JavaRetrier retrier = eager();

        CompletableFuture<String> future = retrier.callAsync(() -> attempts.incrementAndGet() < 2 ? failing() : slow);

        assertFalse(future.isDone());
        future.cancel(true);
        assertTrue(slow.isCancelled());
        assertEquals(2, attempts.get());
    }

    @Test
    @DisplayName("ends where an attempt was cancelled, and retries nothing")
    void cancelled() {
        CompletableFuture<String> future = eager().callAsync(() -> {
            if (attempts.incrementAndGet() < 2) return failing();
            throw new CancellationException("enough");
        });

        assertTrue(future.isCancelled());
        assertEquals(2, attempts.get());
    }

    @Test
    @DisplayName(
            "goes as one that can be resumed does: same attempts, end, discards and quota, over 2,000 random calls")
    void sameAsLoop() {
        for (int seed = 0; seed < 2_000; seed++) {
            assertEquals(run(seed, List.of(event -> {})), run(seed, List.of()), "seed " + seed);
        }
    }

    @Test
    @DisplayName("records its answers and takes its permits as one that can be resumed does, over 2,000 random calls")
    void sameRateAsLoop() {
        for (int seed = 0; seed < 2_000; seed++) {
            assertEquals(runMetered(seed, List.of(event -> {})), runMetered(seed, List.of()), "seed " + seed);
        }
    }

    /**
     * Four random calls through one send rate. One that is listened to is never made at once; one that has to wait for
     * a permit is refused, on a thread of the line's.
     */
    private List<Object> runMetered(int seed, List<RetryListener> listeners) {
        Random random = new Random(seed);
        time = new VirtualTime();
        SendRateSettings settings = random.nextBoolean() ? SendRateSettings.EXACT : SendRateSettings.STEADY;
        SendRate rate = new SendRate(settings, -2_000_000_000);
        if (random.nextBoolean()) limitToTwenty(rate);
        List<Object> seen = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            RetryPolicyBuilder metered = RetryPolicy.builder()
                    .sendRate(rate.getState().getSettings())
                    .onNoPermit(NoPermit.Fail.INSTANCE);
            RetryPolicy policy = random(metered, random);
            Retrier retrier = Retrier.builder(policy)
                    .quota(new RetryQuota())
                    .sendRate(rate)
                    .listeners(listeners)
                    .clock(time)
                    .draws(() -> 1.0)
                    .waiter(Waiter.DELAY)
                    .build();
            seen.addAll(run(retrier, random));
            time.after(random.nextInt(1_000_000_000), () -> {});
            time.runAll();
            seen.add(rate.getMeasuredRate() + " " + rate.getSendRate());
            seen.add(time.nanoTime());
        }
        return seen;
    }

    /** Lets {@code rate} measure twenty answers a second, and then be throttled, before the present. */
    private static void limitToTwenty(SendRate rate) {
        for (long ms = -2_000; ms < 0; ms += 50) rate.record(ms == -50, ms * 1_000_000, ms * 1_000_000);
    }

    /** Makes a random call. With listeners, or with an executor to complete on, it is not made at once. */
    private List<Object> run(int seed, List<RetryListener> listeners) {
        Random random = new Random(seed);
        RetryPolicy policy = random(RetryPolicy.builder(), random);
        Retrier retrier = retrier(policy).retrier();
        for (RetryListener listener : listeners) retrier = retrier.with(listener);
        return run(retrier, random);
    }

    private static RetryPolicy random(RetryPolicyBuilder builder, Random random) {
        List<Long> delays = List.of(random.nextInt(2) * 5L, random.nextInt(2) * 5L, random.nextInt(2) * 5L);
        return builder.maxAttempts(4)
                .backoff(Backoff.custom(retry -> Duration.ofNanos(delays.get(retry.getRetryIndex()))))
                .onFailure(failure -> failure.getMessage().equals("final") ? Verdict.REJECT : Verdict.TRANSIENT)
                .onResult(result -> "bad".equals(result) ? Verdict.THROTTLING : null)
                .onBadResult(random.nextBoolean() ? OnBadResult.THROW : OnBadResult.RETURN)
                .build();
    }

    private List<Object> run(Retrier retrier, Random random) {
        SharedRetrier java = new SharedRetrier(retrier, time, Runnable::run, null);
        Iterator<CompletionStage<String>> script = List.of(
                        random(random), random(random), random(random), random(random))
                .iterator();
        List<Object> seen = new ArrayList<>();
        AsyncAttempt<String> work = new AsyncAttempt<>() {
            @Override
            public CompletionStage<String> start(Attempt attempt) {
                seen.add(attempt.getNumber());
                return script.next();
            }

            @Override
            public void discard(String result) {
                seen.add("discards " + result);
            }
        };
        CompletableFuture<String> future = FutureCall.start(java, CallOptions.DEFAULT, false, work, null);
        time.runAll();
        seen.add(future.handle((result, failure) -> failure == null ? result : failure.toString())
                .join());
        seen.add(retrier.getQuota().getAvailable());
        return seen;
    }

    private CompletionStage<String> random(Random random) {
        switch (random.nextInt(6)) {
            case 0:
                return CompletableFuture.completedFuture("good");
            case 1:
                return CompletableFuture.completedFuture("bad");
            case 2:
                return CompletableFuture.failedFuture(new IOException("final"));
            case 3:
                CompletableFuture<String> slow = new CompletableFuture<>();
                time.after(3, () -> slow.completeExceptionally(new IOException("slow")));
                return slow;
            default:
                return failing();
        }
    }
}
