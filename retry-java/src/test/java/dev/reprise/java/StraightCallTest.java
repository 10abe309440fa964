package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.Attempt;
import dev.reprise.core.CallOptions;
import dev.reprise.core.OnBadResult;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.RetryPolicyBuilder;
import dev.reprise.core.RetryTrace;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.classify.Verdict;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("An asynchronous call whose attempts have ended when they come back")
class StraightCallTest {
    private final VirtualTime time = new VirtualTime();
    private final AtomicInteger attempts = new AtomicInteger();

    private JavaRetrier retrier(RetryPolicy policy) {
        return JavaRetrier.builder()
                .policy(policy)
                .clock(time)
                .waiter(time)
                .draws(() -> 1.0)
                .build();
    }

    private JavaRetrier eager() {
        return retrier(RetryPolicy.builder().backoff(Backoff.IMMEDIATE).build());
    }

    private CompletableFuture<String> failing() {
        return CompletableFuture.failedFuture(new IOException("reset"));
    }

    private static Throwable failureOf(CompletableFuture<?> future) {
        assertTrue(future.isDone());
        return future.handle((result, failure) -> failure).join();
    }

    @Test
    @DisplayName("hands on the future of the attempt that succeeded, and sets no timer")
    void handsOnALaterOne() {
        CompletableFuture<String> own = CompletableFuture.completedFuture("done");

        CompletableFuture<String> future = eager().callAsync(() -> attempts.incrementAndGet() < 3 ? failing() : own);

        assertSame(own, future);
        assertEquals(0, time.pending());
    }

    @Test
    @DisplayName("fails with the last attempt's own exception and its trace, and pays for each retry")
    void givesUp() {
        IOException own = new IOException("reset");
        JavaRetrier retrier = eager();

        CompletableFuture<String> future =
                retrier.callAsync(() -> CompletableFuture.failedFuture(new CompletionException("wrapped", own)));

        assertSame(own, failureOf(future));
        assertEquals(3, RetryTrace.of(own).getAttempts());
        assertEquals(500 - 2 * 14, retrier.retrier().getQuota().getAvailable());
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
    @DisplayName("goes on later where there is a delay")
    void waits() {
        JavaRetrier retrier = retrier(RetryPolicy.STANDARD);

        CompletableFuture<String> future = retrier.callAsync(
                () -> attempts.incrementAndGet() < 2 ? failing() : CompletableFuture.completedFuture("ok"));

        assertFalse(future.isDone());
        assertEquals(1, time.pending());
        future.cancel(true);
        assertEquals(0, time.pending());
        assertEquals(500, retrier.retrier().getQuota().getAvailable());
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
    @DisplayName("fails where the classifier throws an error, with nothing left open")
    void brokenClassifier() {
        AssertionError broken = new AssertionError("broken");
        JavaRetrier strange = retrier(RetryPolicy.builder()
                .backoff(Backoff.IMMEDIATE)
                .onFailure(failure -> {
                    if (attempts.get() < 2) return Verdict.TRANSIENT;
                    throw broken;
                })
                .build());

        CompletableFuture<String> future = strange.callAsync(() -> {
            attempts.incrementAndGet();
            return failing();
        });

        assertSame(broken, failureOf(future));
    }

    @Test
    @DisplayName(
            "goes as one that can be resumed does: same attempts, end, discards and quota, over 2,000 random calls")
    void sameAsLoop() {
        for (int seed = 0; seed < 2_000; seed++) {
            assertEquals(run(seed, Runnable::run), run(seed, null), "seed " + seed);
        }
    }

    /** What a random call does; only where no executor is given to complete on is it made at once. */
    private List<Object> run(int seed, Executor completion) {
        Random random = new Random(seed);
        boolean throwsBadResults = random.nextBoolean();
        List<Long> delays = List.of(random.nextInt(2) * 5L, random.nextInt(2) * 5L, random.nextInt(2) * 5L);
        RetryPolicyBuilder builder = RetryPolicy.builder()
                .maxAttempts(4)
                .backoff(Backoff.custom((index, kind) -> delays.get(index)))
                .onFailure(
                        failure -> failure.getMessage().equals("final") ? Verdict.Reject.INSTANCE : Verdict.TRANSIENT)
                .onResult(result -> "bad".equals(result) ? Verdict.THROTTLING : null);
        if (throwsBadResults) builder.onBadResult(OnBadResult.THROW);
        JavaRetrier retrier = retrier(builder.build());
        AsyncSettings settings = new AsyncSettings(retrier.retrier(), time, Runnable::run, Runnable::run, completion);
        List<CompletionStage<String>> script = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            switch (random.nextInt(6)) {
                case 0 -> script.add(CompletableFuture.completedFuture("good"));
                case 1 -> script.add(CompletableFuture.completedFuture("bad"));
                case 2 -> script.add(CompletableFuture.failedFuture(new IOException("final")));
                case 3 -> {
                    CompletableFuture<String> slow = new CompletableFuture<>();
                    time.after(3, () -> slow.completeExceptionally(new IOException("slow")));
                    script.add(slow);
                }
                default -> script.add(CompletableFuture.failedFuture(new IOException("reset")));
            }
        }
        List<Object> seen = new ArrayList<>();
        Iterator<CompletionStage<String>> stages = script.iterator();
        CompletableFuture<String> future = settings.call(CallOptions.DEFAULT, new AsyncAttempt<>() {
            @Override
            public CompletionStage<String> start(Attempt attempt) {
                seen.add(attempt.getNumber());
                return stages.next();
            }

            @Override
            public void discard(String result) {
                seen.add("discards " + result);
            }
        });
        time.runAll();
        seen.add(future.handle((result, failure) -> failure == null ? result : failure.toString())
                .join());
        seen.add(retrier.retrier().getQuota().getAvailable());
        return seen;
    }
}
