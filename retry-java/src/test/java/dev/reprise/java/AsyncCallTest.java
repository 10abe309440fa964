package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.AttemptTimeoutException;
import dev.reprise.core.Backoff;
import dev.reprise.core.RetryEvent;
import dev.reprise.core.RetryOutcome;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.RetryTrace;
import dev.reprise.core.Verdict;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("An asynchronous call")
class AsyncCallTest {
    private final VirtualTime time = new VirtualTime();
    private final JavaRetrier retrier = retrier(RetryPolicy.STANDARD);
    private final AtomicInteger attempts = new AtomicInteger();
    private final List<RetryEvent> events = new ArrayList<>();

    private JavaRetrier retrier(RetryPolicy policy) {
        return time.retrier(policy).executor(Runnable::run).build();
    }

    private JavaRetrier listening(JavaRetrier retrier) {
        return retrier.with(events::add);
    }

    @AfterEach
    void leavesNoTimer() {
        assertEquals(0, time.pending());
    }

    private CompletionStage<String> failingTimes(int failures) {
        return attempts.incrementAndGet() <= failures
                ? CompletableFuture.failedFuture(new IOException("attempt " + attempts))
                : CompletableFuture.completedFuture("done");
    }

    private static Throwable failureOf(CompletableFuture<?> future) {
        assertTrue(future.isCompletedExceptionally());
        return future.handle((result, failure) -> failure).join();
    }

    @Test
    @DisplayName("fails with the last attempt's own exception, with a suppressed trace and without wrappers")
    void failsWithItsOwn() {
        IOException own = new IOException("reset");
        CompletableFuture<String> future = retrier.callAsync(
                () -> CompletableFuture.failedFuture(new CompletionException(new ExecutionException(own))));
        time.runAll();

        assertSame(own, failureOf(future));
        assertEquals(3, RetryTrace.of(own).getAttempts());
        ExecutionException seen = assertThrows(ExecutionException.class, future::get);
        assertSame(own, seen.getCause());
    }

    @Test
    @DisplayName(
            "judges and fails with what work on an executor threw, without wrappers, as a future and as an outcome")
    void failsWithItsOwnOnAnExecutor() {
        JavaRetrier named = retrier.with(retrier.policy().toBuilder()
                .retryOn(IllegalStateException.class)
                .build());
        IllegalStateException own = new IllegalStateException("busy");
        AtomicInteger attempts = new AtomicInteger();
        Callable<String> work = () -> {
            attempts.incrementAndGet();
            throw new CompletionException(new CompletionException(own));
        };
        CompletableFuture<String> future = named.callAsync(work, Runnable::run);
        CompletableFuture<RetryOutcome<String>> outcome = named.outcomeAsync(work, Runnable::run);
        time.runAll();

        assertSame(own, failureOf(future));
        assertSame(
                own,
                assertInstanceOf(RetryOutcome.Failure.class, outcome.join()).getFailure());
        assertEquals(6, attempts.get());
    }

    @Test
    @DisplayName("hands on the first attempt's own future where that has succeeded already")
    void handsOn() {
        CompletableFuture<String> own = CompletableFuture.completedFuture("done");

        assertSame(own, retrier.callAsync(() -> own));
        assertSame(own, listening(retrier).callAsync(() -> own));
    }

    @Test
    @DisplayName("fails where a stage is null")
    void nullStage() {
        CompletableFuture<String> future = retrier.callAsync(() -> null);

        assertInstanceOf(NullPointerException.class, failureOf(future));
    }

    @Test
    @DisplayName("fails where the classifier throws")
    void throwingClassifier() {
        IllegalStateException broken = new IllegalStateException("broken");
        JavaRetrier strange = retrier(RetryPolicy.builder()
                .onResult(result -> {
                    throw broken;
                })
                .onFailure(failure -> {
                    throw broken;
                })
                .build());

        assertSame(broken, failureOf(strange.callAsync(() -> CompletableFuture.completedFuture("any"))));
        CompletableFuture<String> attempt = new CompletableFuture<>();
        CompletableFuture<String> future = strange.callAsync(() -> attempt);
        attempt.completeExceptionally(new IOException("reset"));
        assertSame(broken, failureOf(future));
    }

    @Test
    @DisplayName("fails where the backoff throws, also in mid-call")
    void throwingBackoff() {
        IllegalStateException broken = new IllegalStateException("broken");
        JavaRetrier strange = retrier(RetryPolicy.builder()
                .backoff(Backoff.custom(retry -> {
                    if (retry.getRetryIndex() == 0) return Duration.ofNanos(1);
                    throw broken;
                }))
                .build());
        CompletableFuture<String> future = strange.callAsync(() -> failingTimes(9));
        time.runAll();

        assertSame(broken, failureOf(future));
        assertEquals(2, attempts.get());
    }

    @Test
    @DisplayName("ends as cancelled when its attempt is cancelled by somebody else, and is not retried")
    void attemptCancelled() {
        CompletableFuture<String> attempt = new CompletableFuture<>();
        CompletableFuture<String> future = retrier.callAsync(() -> {
            attempts.incrementAndGet();
            return attempt;
        });

        attempt.cancel(true);

        assertTrue(future.isCancelled());
        assertThrows(CancellationException.class, future::join);
        assertEquals(1, attempts.get());
    }

    @Test
    @DisplayName("does not cancel what cannot be cancelled")
    void minimalStage() {
        CompletableFuture<String> attempt = new CompletableFuture<>();
        CompletableFuture<String> future = retrier.callAsync(attempt::minimalCompletionStage);

        future.cancel(true);

        assertFalse(attempt.isDone());
    }

    @Test
    @DisplayName("cancels an attempt that takes too long, and tries again")
    void timesOut() {
        JavaRetrier timed = retrier(
                RetryPolicy.builder().attemptTimeout(Duration.ofSeconds(2)).build());
        CompletableFuture<String> slow = new CompletableFuture<>();
        CompletableFuture<String> future = timed.callAsyncWithAttempt(attempt ->
                attempt.getNumber() == 1 ? slow : CompletableFuture.completedFuture("" + attempt.getLastFailure()));
        time.runAll();

        assertTrue(slow.isCancelled());
        assertEquals(AttemptTimeoutException.class.getName() + ": attempt 1 took longer than 2s", future.join());
        assertEquals(2_050_000_000L, time.nanoTime());
    }

    @Test
    @DisplayName(
            "discards results that the caller does not get: bad ones right before the next attempt, and late ones at once")
    void discards() {
        List<String> discarded = new ArrayList<>();
        List<CompletableFuture<String>> made = new ArrayList<>();
        JavaRetrier timed = retrier(RetryPolicy.builder()
                .attemptTimeout(Duration.ofSeconds(2))
                .onResult(result -> "bad".equals(result) ? Verdict.TRANSIENT : null)
                .build());
        CompletableFuture<String> future = timed.callAsyncWithAttempt(new AsyncAttempt<String>() {
            @Override
            public CompletionStage<String> start(dev.reprise.core.Attempt attempt) {
                CompletableFuture<String> work = new CompletableFuture<>();
                made.add(work);
                return work.minimalCompletionStage();
            }

            @Override
            public void discard(String result) {
                discarded.add(result);
            }
        });

        made.get(0).complete("bad");
        assertEquals(List.of(), discarded);
        time.runNext();
        assertEquals(List.of("bad"), discarded);
        time.runNext();
        made.get(1).complete("late");
        assertEquals(List.of("bad", "late"), discarded);
        time.runNext();
        future.cancel(true);
        made.get(2).complete("too late");

        assertEquals(List.of("bad", "late", "too late"), discarded);
    }

    @Test
    @DisplayName("makes a million attempts that end at once on a stack that does not grow")
    void keepsStackFlat() {
        JavaRetrier eager = retrier(RetryPolicy.builder()
                .maxAttempts(Integer.MAX_VALUE - 1)
                .noQuota()
                .backoff(Backoff.IMMEDIATE)
                .build());
        IOException failure = new IOException("reset");
        failure.setStackTrace(new StackTraceElement[0]);
        int[] depths = new int[2];
        CompletableFuture<String> future = eager.callAsyncWithAttempt(attempt -> {
            int number = attempt.getNumber();
            if (number == 2) depths[0] = depth();
            if (number < 1_000_000) return CompletableFuture.failedFuture(failure);
            depths[1] = depth();
            return CompletableFuture.completedFuture("done");
        });

        assertEquals("done", future.join());
        assertEquals(depths[0], depths[1]);
        assertNotNull(future);
    }

    private static int depth() {
        return StackWalker.getInstance().<Long>walk(frames -> frames.count()).intValue();
    }
}
