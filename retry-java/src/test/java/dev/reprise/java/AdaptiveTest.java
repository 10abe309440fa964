package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.CallOptions;
import dev.reprise.core.NoPermit;
import dev.reprise.core.RetryOutcome;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.SendRateSettings;
import dev.reprise.core.StopReason;
import dev.reprise.core.shell.quota.RetryQuota;
import dev.reprise.core.shell.rate.SendRate;
import dev.reprise.coroutines.Retrier;
import dev.reprise.coroutines.shell.SendRateLine;
import dev.reprise.coroutines.shell.Waiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import kotlin.coroutines.EmptyCoroutineContext;
import kotlinx.coroutines.BuildersKt;
import kotlinx.coroutines.Dispatchers;
import kotlinx.coroutines.ExecutorsKt;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("Adaptive mode from Java")
@Timeout(60)
class AdaptiveTest {
    private static final long SECOND = 1_000_000_000;

    /** A rate that was throttled once at {@code now}: its bucket is empty and gets {@code perSecond} permits. */
    private static SendRate throttled(double perSecond, long now) {
        SendRate rate = new SendRate(settings(perSecond), now);
        rate.record(true, now, now);
        return rate;
    }

    private static SendRateSettings settings(double perSecond) {
        return SendRateSettings.builder().minFillRate(perSecond).build();
    }

    private static RetryPolicy policy(SendRate rate, NoPermit noPermit, Duration deadline) {
        return RetryPolicy.builder()
                .sendRate(rate.getSettings())
                .onNoPermit(noPermit)
                .deadline(deadline)
                .build();
    }

    @Nested
    @DisplayName("in virtual time, with half a permit a second,")
    class InVirtualTime {
        private final VirtualTime time = new VirtualTime();
        private final SendRate rate = throttled(0.5, 0);
        private final RetryQuota quota = new RetryQuota();

        private JavaRetrier retrier(NoPermit noPermit, Duration deadline) {
            Retrier retrier = Retrier.builder(policy(rate, noPermit, deadline))
                    .quota(quota)
                    .sendRate(rate)
                    .clock(time)
                    .draws(() -> 1.0)
                    .waiter(WaitersKt.waiterOf(time))
                    .build();
            return JavaRetrier.sharing(retrier, time, null);
        }

        private void assertRefused(StopReason reason, RetryOutcome<String> outcome) {
            assertEquals(reason, outcome.getReason());
            assertEquals(0, outcome.getAttempts());
            assertEquals(0, time.nanoTime(), "it waited");
            assertEquals(quota.getCapacity(), quota.getAvailable());
            assertEquals(2 * SECOND, rate.getState().waitNanos(0, 0), "it took something");
        }

        @Test
        @DisplayName("a call waits for its permit, exactly")
        void waits() {
            JavaRetrier retrier = retrier(NoPermit.Wait.INSTANCE, null);

            assertEquals("done", retrier.call(() -> "done"));
            assertEquals(2 * SECOND, time.nanoTime());
        }

        @Test
        @DisplayName("a call that is to fail fast is refused at once, as rate limited, and costs nothing")
        void failsFast() {
            JavaRetrier retrier = retrier(NoPermit.Fail.INSTANCE, null);

            assertRefused(StopReason.RATE_LIMITED, retrier.outcome(() -> "done"));
            assertRefused(
                    StopReason.RATE_LIMITED,
                    retrier.outcomeAsync(() -> CompletableFuture.completedFuture("done"))
                            .join());
        }

        @Test
        @DisplayName("a call waits for at most so long, and not at all if that would be in vain")
        void waitsAtMost() {
            JavaRetrier hasty = retrier(NoPermit.waitAtMost(Duration.ofMillis(1999)), null);
            assertRefused(StopReason.RATE_LIMITED, hasty.outcome(() -> "done"));

            JavaRetrier patient = retrier(NoPermit.waitAtMost(Duration.ofSeconds(2)), null);
            assertEquals("done", patient.call(() -> "done"));
            assertEquals(2 * SECOND, time.nanoTime());
        }

        @Test
        @DisplayName("a deadline bounds the wait")
        void deadline() {
            JavaRetrier late = retrier(NoPermit.Wait.INSTANCE, Duration.ofMillis(1999));
            assertRefused(StopReason.DEADLINE, late.outcome(() -> "done"));
            assertRefused(
                    StopReason.DEADLINE,
                    late.outcomeAsync(() -> CompletableFuture.completedFuture("done"))
                            .join());
        }
    }

    @Nested
    @DisplayName("in one line in real time,")
    class InOneLine {
        private final SendRate rate = throttled(0.01, System.nanoTime());
        private final Retrier shared = Retrier.builder(policy(rate, NoPermit.Wait.INSTANCE, null))
                .quota(new RetryQuota())
                .sendRate(rate)
                .clock(Retrier.SYSTEM_CLOCK)
                .draws(Retrier.SYSTEM_DRAWS)
                .waiter(Waiter.DELAY)
                .build();
        private final JavaRetrier retrier = JavaRetrier.sharing(shared);
        private final BlockingQueue<String> served = new LinkedBlockingQueue<>();
        private final List<Thread> threads = new ArrayList<>();
        private final AtomicReference<Throwable> thrown = new AtomicReference<>();

        private String serve(String name) {
            served.add(name);
            return name;
        }

        /** Starts a thread that makes a call and stands in the line when this returns. */
        private Thread blocking(String name) throws InterruptedException {
            return start(() -> retrier.call(() -> serve(name)));
        }

        private Thread coroutine(String name) throws InterruptedException {
            return start(() -> BuildersKt.runBlocking(
                    EmptyCoroutineContext.INSTANCE,
                    (scope, continuation) -> shared.outcome(
                            CallOptions.DEFAULT, (attempt, attemptContinuation) -> serve(name), continuation)));
        }

        private Thread start(ThrowingRunnable<Exception> call) throws InterruptedException {
            int before = line().getWaiting();
            Thread thread = new Thread(() -> {
                try {
                    call.run();
                } catch (Throwable e) {
                    thrown.set(e);
                }
            });
            threads.add(thread);
            thread.start();
            untilWaiting(before + 1);
            return thread;
        }

        private CompletableFuture<String> future(String name) throws InterruptedException {
            int before = line().getWaiting();
            CompletableFuture<String> future = retrier.callAsync(() -> CompletableFuture.completedFuture(serve(name)));
            untilWaiting(before + 1);
            return future;
        }

        private SendRateLine line() {
            return shared.getSetup().getLine();
        }

        private void untilWaiting(int callers) throws InterruptedException {
            while (line().getWaiting() != callers) Thread.sleep(1);
            // Who has come is counted a moment before it stands in the line, on its own thread or on one of the pool's.
            meetOnAllWorkers();
            // These are real threads: no event tells that one has begun to wait.
            for (Thread thread : threads) while (isRunning(thread)) Thread.sleep(1);
        }

        /** Returns when every worker of the pool has done what it was at. */
        private void meetOnAllWorkers() {
            int workers = Math.max(2, Runtime.getRuntime().availableProcessors());
            CyclicBarrier all = new CyclicBarrier(workers);
            Executor pool = ExecutorsKt.asExecutor(Dispatchers.getDefault());
            Stream.generate(() -> CompletableFuture.runAsync(() -> meet(all), pool))
                    .limit(workers)
                    .toList()
                    .forEach(CompletableFuture::join);
        }

        private void meet(CyclicBarrier all) {
            try {
                all.await(1, TimeUnit.MINUTES);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        private boolean isRunning(Thread thread) {
            Thread.State state = thread.getState();
            return state == Thread.State.RUNNABLE || state == Thread.State.BLOCKED;
        }

        /**
         * Gives a permit for each of {@code names}, the next when the last was used: so they tell the order, however
         * long a busy machine takes for each.
         */
        private void assertServed(String... names) throws InterruptedException {
            for (String name : names) {
                rate.putBack();
                assertEquals(name, served.poll(60, TimeUnit.SECONDS));
            }
            join();
            assertTrue(served.isEmpty(), served::toString);
        }

        /** Permits that come five a second; before, there are none. */
        private void open() {
            rate.update(settings(5));
            rate.record(true, System.nanoTime(), System.nanoTime());
        }

        private void join() throws InterruptedException {
            for (Thread thread : threads) thread.join(60_000);
        }

        /**
         * Five calls of three kinds, one after the other in the line. The result ends well once both of its futures do.
         */
        private CompletableFuture<?> fiveWait() throws Exception {
            blocking("1 thread");
            CompletableFuture<String> second = future("2 future");
            coroutine("3 coroutine");
            CompletableFuture<String> fourth = future("4 future");
            blocking("5 thread");
            return CompletableFuture.allOf(second, fourth);
        }

        @Test
        @DisplayName("blocking calls, futures and coroutines are served in the order in which they came")
        void firstComeFirstServed() throws Exception {
            CompletableFuture<?> futures = fiveWait();

            assertServed("1 thread", "2 future", "3 coroutine", "4 future", "5 thread");
            futures.get(60, TimeUnit.SECONDS);
        }

        @Test
        @DisplayName("blocking calls, futures and coroutines are together no faster than the rate")
        void keepsRate() throws Exception {
            CompletableFuture<?> futures = fiveWait();
            long start = System.nanoTime();
            open();
            join();
            futures.get(60, TimeUnit.SECONDS);

            assertEquals(5, served.size());
            assertTrue(System.nanoTime() - start >= 4 * SECOND / 5, "the line was too fast");
        }

        @Test
        @DisplayName("who is interrupted or cancelled leaves no debt and changes nobody's order")
        void leaving() throws Exception {
            Thread head = blocking("head");
            CompletableFuture<String> second = future("second");
            CompletableFuture<String> third = future("third");
            Thread fourth = blocking("fourth");
            blocking("fifth");
            head.interrupt();
            third.cancel(true);
            fourth.interrupt();
            untilWaiting(2);

            assertServed("second", "fifth");
            second.get(60, TimeUnit.SECONDS);
            assertTrue(thrown.get() instanceof CancellationException, String.valueOf(thrown.get()));
            assertThrows(CancellationException.class, third::join);
            assertTrue(rate.getState().tokensAt(System.nanoTime()) >= 0, "a debt was left");
            assertEquals(0, line().getWaiting());
            assertFalse(Thread.currentThread().isInterrupted());
        }
    }
}
