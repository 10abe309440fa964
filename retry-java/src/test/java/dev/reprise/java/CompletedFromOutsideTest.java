package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.Attempt;
import dev.reprise.core.Classifier;
import dev.reprise.core.OnBadResult;
import dev.reprise.core.RetryEvent;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.Verdict;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A future that is completed from outside, in whatever way,")
class CompletedFromOutsideTest {
    private static final Map<String, Consumer<CompletableFuture<String>>> WAYS = Map.of(
            "cancel", future -> future.cancel(true),
            "complete", future -> future.complete("mine"),
            "completeExceptionally", future -> future.completeExceptionally(new IOException("enough")),
            "completeAsync", future -> future.completeAsync(() -> "mine", Runnable::run),
            "completeAsync that throws",
                    future -> future.completeAsync(
                            () -> {
                                throw new IllegalStateException("none");
                            },
                            Runnable::run),
            "obtrudeValue", future -> future.obtrudeValue("mine"),
            "obtrudeException", future -> future.obtrudeException(new IOException("enough")));

    private final VirtualTime time = new VirtualTime();
    private final List<RetryEvent> events = new ArrayList<>();
    private final JavaRetrier retrier = time.retrier(RetryPolicy.STANDARD)
            .executor(Runnable::run)
            .listener(events::add)
            .build();

    static Stream<String> ways() {
        return WAYS.keySet().stream().sorted();
    }

    private List<String> ends() {
        return events.stream()
                .map(event -> event.getClass().getSimpleName())
                .filter(name -> name.startsWith("Call") && !name.equals("CallStarted"))
                .toList();
    }

    @ParameterizedTest(name = "{0}, in an attempt")
    @MethodSource("ways")
    @DisplayName("ends the call in its attempt, which is cancelled")
    void inAttempt(String way) {
        CompletableFuture<String> attempt = new CompletableFuture<>();
        CompletableFuture<String> future = retrier.callAsync(() -> attempt);

        WAYS.get(way).accept(future);

        assertTrue(future.isDone());
        assertTrue(attempt.isCancelled());
        assertEquals(List.of("CallCancelled"), ends());
        assertEquals(0, time.pending());
    }

    @ParameterizedTest(name = "{0}, in a wait")
    @MethodSource("ways")
    @DisplayName("ends the call in its wait, and what the retry cost comes back")
    void inWait(String way) {
        AtomicInteger attempts = new AtomicInteger();
        CompletableFuture<String> future = retrier.callAsync(() -> {
            attempts.incrementAndGet();
            return CompletableFuture.failedFuture(new IOException("reset"));
        });

        WAYS.get(way).accept(future);
        time.runAll();

        assertTrue(future.isDone());
        assertEquals(1, attempts.get());
        assertEquals(List.of("CallCancelled"), ends());
        assertEquals(500, retrier.retrier().getQuota().getAvailable());
    }

    @Test
    @DisplayName("says whether that was in time, once")
    void saysWhether() {
        assertTrue(retrier.callAsync(() -> new CompletableFuture<String>()).complete("mine"));
        assertTrue(retrier.callAsync(() -> new CompletableFuture<String>()).completeExceptionally(new IOException()));
        assertTrue(retrier.callAsync(() -> new CompletableFuture<String>()).cancel(true));
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> done = retrier.callAsync(() -> stage);
        stage.complete("good");
        assertFalse(done.complete("late"));
        assertFalse(done.completeExceptionally(new IOException("late")));
        assertFalse(done.cancel(true));
        assertSame(done, done.completeAsync(() -> "late", Runnable::run));
        assertEquals("good", done.join());
    }

    /** Work that a test ends, and what became of its result. */
    private static final class Given implements AsyncAttempt<String> {
        private final List<String> discarded = new ArrayList<>();
        private final CompletableFuture<String> stage = new CompletableFuture<>();

        @Override
        public CompletionStage<String> start(Attempt attempt) {
            return stage;
        }

        @Override
        public void discard(String result) {
            discarded.add(result);
        }
    }

    private static RetryPolicy judging(boolean isGood) {
        return RetryPolicy.builder()
                .maxAttempts(1)
                .onBadResult(OnBadResult.RETURN)
                .classifier(Classifier.results(result -> isGood ? null : Verdict.TRANSIENT))
                .build();
    }

    @ParameterizedTest(name = "a good result: {0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("while its result waits for the executor that hands it over has the result discarded")
    void beforeDelivery(boolean isGood) {
        for (boolean asOutcome : new boolean[] {true, false}) {
            Deque<Runnable> tasks = new ArrayDeque<>();
            Given work = new Given();
            // In simulated time no helper thread takes over from an executor that is slow.
            JavaRetrier slow = new VirtualTime()
                    .retrier(judging(isGood))
                    .executor(tasks::add)
                    .build();
            CompletableFuture<?> future =
                    asOutcome ? slow.outcomeAsyncWithAttempt(work) : slow.callAsyncWithAttempt(work);
            work.stage.complete("result");
            assertFalse(future.isDone());
            assertEquals(1, tasks.size());
            future.cancel(true);
            while (!tasks.isEmpty()) tasks.remove().run();
            assertEquals(List.of("result"), work.discarded);
        }
    }
}
