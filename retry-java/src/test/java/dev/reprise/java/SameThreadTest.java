package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.build.LoggedKt;
import dev.reprise.core.AttemptTimeoutException;
import dev.reprise.core.Backoff;
import dev.reprise.core.Hedge;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.RetryTrace;
import dev.reprise.core.SendRateSettings;
import dev.reprise.core.shell.rate.SendRate;
import dev.reprise.core.shell.text.WarningLog;
import dev.reprise.coroutines.Retrier;
import java.io.IOException;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.LogRecord;
import kotlin.Unit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("An executor that runs tasks on the thread that submits them")
@Timeout(60)
class SameThreadTest {
    private static final Executor SAME_THREAD = Runnable::run;
    private static final RetryPolicy POLICY = RetryPolicy.builder()
            .maxAttempts(3)
            .attemptTimeout(Duration.ofMillis(20))
            .backoff(Backoff.fixed(Duration.ofMillis(1)))
            .build();

    private static final RetryPolicy HEDGED =
            POLICY.toBuilder().hedge(Hedge.after(Duration.ofMillis(1), 1.0)).build();

    private final List<Thread> threads = Collections.synchronizedList(new ArrayList<>());

    private String never() throws InterruptedException {
        threads.add(Thread.currentThread());
        new CountDownLatch(1).await();
        return "never";
    }

    @ParameterizedTest(name = "with a hedge: {0}")
    @ValueSource(booleans = {false, true})
    @DisplayName("has its attempts ended by their timeout, the first one on the caller's thread")
    void timesOut(boolean isHedged) {
        List<Thread> first = Collections.synchronizedList(new ArrayList<>());
        CompletableFuture<String> call = JavaRetrier.of(isHedged ? HEDGED : POLICY)
                .callAsyncWithAttempt(
                        attempt -> {
                            if (attempt.getNumber() == 1 && !attempt.isCopy()) first.add(Thread.currentThread());
                            return never();
                        },
                        SAME_THREAD);

        Throwable failure = assertThrows(CompletionException.class, call::join).getCause();

        assertInstanceOf(AttemptTimeoutException.class, failure);
        assertEquals(3, RetryTrace.of(failure).getAttempts());
        // On a busy machine its limit may fire before it has begun to run.
        for (Thread thread : first) assertSame(Thread.currentThread(), thread);
        assertFalse(Thread.interrupted());
    }

    @Test
    @DisplayName("has the attempts of a blocking call ended by their timeout too")
    void timesOutBlocking() {
        JavaRetrier blocking =
                JavaRetrier.builder(HEDGED).hedgeExecutor(SAME_THREAD).build();

        Throwable failure = assertThrows(AttemptTimeoutException.class, () -> blocking.call(this::never));

        assertEquals(3, RetryTrace.of(failure).getAttempts());
        assertFalse(Thread.interrupted());
    }

    /** The caller has the future before the first attempt: that waits for a permit, and no time passes until then. */
    @ParameterizedTest(name = "with a hedge: {0}")
    @ValueSource(booleans = {false, true})
    @DisplayName("has its attempt interrupted when the future is cancelled")
    void cancelled(boolean isHedged) throws InterruptedException {
        long now = System.nanoTime();
        SendRate rate = new SendRate(SendRateSettings.builder().minFillRate(20).build(), now);
        rate.record(true, now, now);
        // No copy comes: a slow machine would have a second permit for it, and then there are two to interrupt.
        RetryPolicy untimed = POLICY.toBuilder()
                .attemptTimeout(null)
                .hedge(isHedged ? Hedge.after(Duration.ofHours(1), 1.0) : null)
                .sendRate(rate.getSettings())
                .build();
        AtomicBoolean isHeld = new AtomicBoolean();
        JavaRetrier adaptive = JavaRetrier.sharing(Retrier.builder(untimed)
                .sendRate(rate)
                .clock(() -> isHeld.get() ? System.nanoTime() : now)
                .build());
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        CompletableFuture<String> call = adaptive.callAsync(
                () -> {
                    begun.countDown();
                    try {
                        return never();
                    } finally {
                        interrupted.countDown();
                    }
                },
                SAME_THREAD);
        isHeld.set(true);
        begun.await();

        call.cancel(true);

        interrupted.await();
        assertEquals(1, threads.size());
    }

    @Test
    @DisplayName("never gets the thread that ends all waits")
    void leavesTimer() {
        // Each attempt has a timer, and none that fires before a busy machine has run the attempt.
        RetryPolicy timed =
                POLICY.toBuilder().attemptTimeout(Duration.ofMinutes(1)).build();
        JavaRetrier own =
                JavaRetrier.builder().policy(timed).executor(SAME_THREAD).build();
        List<CompletableFuture<Object>> calls = List.of(
                JavaRetrier.of(timed).callAsync(this::failing, SAME_THREAD),
                own.callAsync(this::failing, SAME_THREAD),
                own.callAsync(() -> CompletableFuture.completedFuture(failing())));

        for (CompletableFuture<Object> call : calls) assertThrows(CompletionException.class, call::join);

        assertEquals(9, threads.size());
        for (Thread thread : threads) assertNotEquals("reprise-timer", thread.getName());
    }

    private Object failing() throws IOException {
        threads.add(Thread.currentThread());
        throw new IOException("reset");
    }

    @Test
    @DisplayName(
            "is not needed to block a caller: work that does so before it returns its stage times out when it returns")
    void blockedStart() throws ReflectiveOperationException {
        // Another test may have heard the warning, which is told once.
        Field told = WarningLog.class.getDeclaredField("told");
        told.setAccessible(true);
        ((Set<?>) told.get(null)).clear();
        // The work lets its own limit pass, on another thread, as the timer would: no clock decides.
        AtomicReference<Runnable> limit = new AtomicReference<>();
        JavaWaiter limits = new JavaWaiter() {
            @Override
            public void await(Duration duration) {
                throw new AssertionError("no backoff");
            }

            @Override
            public Runnable after(Duration duration, Runnable task) {
                limit.set(task);
                return () -> {};
            }
        };
        JavaRetrier blocked = JavaRetrier.builder(
                        POLICY.toBuilder().backoff(Backoff.IMMEDIATE).build())
                .waiter(limits)
                .build();
        List<LogRecord> logged = LoggedKt.logged("dev.reprise", () -> {
            CompletableFuture<String> call = blocked.callAsync(() -> {
                Thread timer = new Thread(limit.get());
                timer.start();
                timer.join();
                return CompletableFuture.completedFuture("late");
            });
            Throwable failure =
                    assertThrows(CompletionException.class, call::join).getCause();
            assertInstanceOf(AttemptTimeoutException.class, failure);
            return Unit.INSTANCE;
        });
        assertEquals(1, logged.size());
        String message = logged.get(0).getMessage();
        assertTrue(message.contains("attempt timeout"), message);
    }
}
