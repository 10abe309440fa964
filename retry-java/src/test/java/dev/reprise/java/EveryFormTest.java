package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.reprise.core.CallOptions;
import dev.reprise.core.RetryPolicy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Every form of a call that a user would try, so that each of them compiles, and does what its name says. */
@DisplayName("Every form of a call")
class EveryFormTest {
    private final JavaRetrier retrier = JavaRetrier.of(RetryPolicy.STANDARD);
    private final CallOptions options = CallOptions.named("read");
    private final Executor executor = Runnable::run;
    private final AtomicInteger calls = new AtomicInteger();

    private int work() {
        return calls.incrementAndGet();
    }

    private CompletableFuture<Integer> stage() {
        return CompletableFuture.completedFuture(work());
    }

    @Test
    @DisplayName("that blocks")
    void blocking() throws Exception {
        int sum = 0;
        sum += retrier.call(() -> work());
        sum += retrier.call(this::work);
        sum += retrier.call(options, () -> work());
        sum += retrier.callWithAttempt(a -> work() * a.getNumber());
        sum += retrier.callWithAttempt(options, a -> work() * a.getNumber());
        sum += retrier.callInterruptibly(() -> work());
        sum += retrier.callInterruptibly(options, () -> work());
        sum += retrier.callInterruptiblyWithAttempt(a -> work() * a.getNumber());
        sum += retrier.callInterruptiblyWithAttempt(options, a -> work() * a.getNumber());
        retrier.run(() -> work());
        retrier.run(options, () -> work());
        retrier.runWithAttempt(a -> work());
        retrier.runWithAttempt(options, a -> work());
        assertEquals(45, sum);
        assertEquals(13, calls.get());
    }

    @Test
    @DisplayName("that tells how it ended")
    void outcome() {
        int sum = 0;
        sum += retrier.outcome(() -> work()).getOrThrow();
        sum += retrier.outcome(options, () -> work()).getOrThrow();
        sum += retrier.outcomeWithAttempt(a -> work() * a.getNumber()).getOrThrow();
        sum += retrier.outcomeWithAttempt(options, a -> work() * a.getNumber()).getOrThrow();
        assertEquals(10, sum);
    }

    @Test
    @DisplayName("that gives a future")
    void futures() {
        int sum = 0;
        sum += retrier.callAsync(() -> stage()).join();
        sum += retrier.callAsync(options, () -> stage()).join();
        sum += retrier.callAsyncWithAttempt(a -> stage()).join();
        sum += retrier.callAsyncWithAttempt(options, a -> stage()).join();
        sum += retrier.callAsync(() -> work(), executor).join();
        sum += retrier.callAsync(options, () -> work(), executor).join();
        sum += retrier.callAsyncWithAttempt(a -> work() * a.getNumber(), executor)
                .join();
        sum += retrier.callAsyncWithAttempt(options, a -> work() * a.getNumber(), executor)
                .join();
        assertEquals(36, sum);
    }

    @Test
    @DisplayName("that gives a future of how it ended")
    void futureOutcomes() {
        int sum = 0;
        sum += retrier.outcomeAsync(() -> stage()).join().getOrThrow();
        sum += retrier.outcomeAsync(options, () -> stage()).join().getOrThrow();
        sum += retrier.outcomeAsyncWithAttempt(a -> stage()).join().getOrThrow();
        sum += retrier.outcomeAsyncWithAttempt(options, a -> stage()).join().getOrThrow();
        sum += retrier.outcomeAsync(() -> work(), executor).join().getOrThrow();
        sum += retrier.outcomeAsyncWithAttempt(options, a -> work() * a.getNumber(), executor)
                .join()
                .getOrThrow();
        assertEquals(21, sum);
    }

    @Test
    @DisplayName("refuses a null at the door")
    void nulls() {
        assertEquals("work", nameOf(() -> retrier.callWithAttempt(null)));
        assertEquals("options", nameOf(() -> retrier.call(null, () -> 1)));
        assertEquals("work", nameOf(() -> retrier.callAsync(null, executor)));
        assertEquals("executor", nameOf(() -> retrier.callAsync(() -> 1, null)));
        assertEquals("retrier", nameOf(() -> JavaRetrier.sharing(null)));
        assertEquals(0, calls.get());
    }

    private static String nameOf(ThrowingRunnable<?> call) {
        return assertThrows(NullPointerException.class, call::run).getMessage();
    }
}
