package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.reprise.core.Attempt;
import dev.reprise.core.Hedge;
import dev.reprise.core.RetryEvent;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.StopReason;
import dev.reprise.core.Verdict;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("Work that may not be repeated is sent once")
class NotRepeatedTest {
    private static final Executor SAME_THREAD = Runnable::run;
    private static final Map<String, BiFunction<JavaRetrier, Work, Object>> FORMS = Map.ofEntries(
            Map.entry("call", (retrier, work) -> ended(() -> retrier.callWithAttempt(work.blocking()))),
            Map.entry(
                    "call interruptibly",
                    (retrier, work) -> ended(() -> retrier.callInterruptiblyWithAttempt(work.blocking()))),
            Map.entry("outcome", (retrier, work) -> ended(() -> retrier.outcomeWithAttempt(work.blocking()))),
            Map.entry("stage", (retrier, work) -> retrier.callAsyncWithAttempt(work.stages())),
            Map.entry("outcome of a stage", (retrier, work) -> retrier.outcomeAsyncWithAttempt(work.stages())),
            Map.entry("on an executor", (retrier, work) -> retrier.callAsyncWithAttempt(work.blocking(), SAME_THREAD)),
            Map.entry(
                    "outcome on an executor",
                    (retrier, work) -> retrier.outcomeAsyncWithAttempt(work.blocking(), SAME_THREAD)));

    private final VirtualTime time = new VirtualTime();
    private final List<RetryEvent> events = new ArrayList<>();
    private final JavaRetrier retrier = time.retrier(RetryPolicy.builder()
                    .attemptTimeout(Duration.ofSeconds(1))
                    .onResult(result -> "bad".equals(result) ? Verdict.TRANSIENT : null)
                    .build())
            .executor(SAME_THREAD)
            .listener(events::add)
            .build();

    static Stream<String> forms() {
        return FORMS.keySet().stream().sorted();
    }

    private static Object ended(ThrowingSupplier<?, ?> call) {
        try {
            return call.get();
        } catch (Throwable e) {
            return e;
        }
    }

    /** How each attempt ends, and how often it was made, asked about and discarded. */
    private final class Work {
        private final CompletionStage<String> result;
        private final RuntimeException broken;
        private final List<String> discarded = new ArrayList<>();
        private int sent;
        private int asked;

        Work(CompletionStage<String> result, RuntimeException broken) {
            this.result = result;
            this.broken = broken;
        }

        private boolean mayRepeat() {
            asked++;
            if (broken != null) throw broken;
            return false;
        }

        BlockingAttempt<String, Exception> blocking() {
            return new BlockingAttempt<>() {
                @Override
                public String make(Attempt attempt) throws Exception {
                    sent++;
                    CompletableFuture<String> future = result.toCompletableFuture();
                    if (!future.isDone()) time.pass(Duration.ofSeconds(2).toNanos());
                    if (!future.isDone()) throw new IOException("reset, late");
                    if (future.isCompletedExceptionally()) throw new IOException("reset");
                    return future.join();
                }

                @Override
                public boolean mayRepeat() {
                    return Work.this.mayRepeat();
                }

                @Override
                public void discard(String result) {
                    discarded.add(result);
                }
            };
        }

        AsyncAttempt<String> stages() {
            return new AsyncAttempt<>() {
                @Override
                public CompletionStage<String> start(Attempt attempt) {
                    sent++;
                    return result;
                }

                @Override
                public boolean mayRepeat() {
                    return Work.this.mayRepeat();
                }

                @Override
                public void discard(String result) {
                    discarded.add(result);
                }
            };
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("forms")
    @DisplayName("when it is slow, under a policy with a hedge")
    void copy(String form) {
        Work work = new Work(new CompletableFuture<>(), null);
        JavaRetrier hedging = retrier.with(retrier.policy().toBuilder()
                .hedge(Hedge.after(Duration.ofMillis(10), 1.0))
                .build());
        FORMS.get(form).apply(hedging, work);
        time.runAll();
        assertEquals(1, work.sent);
        assertEquals(StopReason.NOT_REPLAYABLE, reason());
    }

    private Object play(String form, Work work) {
        Object ended = FORMS.get(form).apply(retrier, work);
        time.runAll();
        return ended;
    }

    private StopReason reason() {
        RetryEvent last = events.get(events.size() - 1);
        return ((RetryEvent.CallGaveUp) last).getReason();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("forms")
    @DisplayName("when it fails, takes too long, or has a result that is rejected, which the caller gets")
    void ends(String form) {
        for (CompletableFuture<String> end : List.of(
                CompletableFuture.<String>failedFuture(new IOException("reset")),
                CompletableFuture.completedFuture("bad"),
                new CompletableFuture<String>())) {
            Work work = new Work(end, null);
            play(form, work);
            assertEquals(1, work.sent);
            assertEquals(1, work.asked);
            assertEquals(StopReason.NOT_REPLAYABLE, reason());
            assertEquals(List.of(), work.discarded);
            assertEquals(500, retrier.retrier().getQuota().getAvailable());
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("forms")
    @DisplayName("and is not asked when its result is accepted")
    void accepted(String form) {
        Work work = new Work(CompletableFuture.completedFuture("good"), null);
        play(form, work);
        assertEquals(0, work.asked);
        assertEquals(List.of(), work.discarded);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("forms")
    @DisplayName("when it throws as it is asked, which is what the call ends with")
    void throwing(String form) {
        for (CompletableFuture<String> result : List.of(
                CompletableFuture.completedFuture("bad"),
                CompletableFuture.<String>failedFuture(new IOException("reset")))) {
            IllegalStateException broken = new IllegalStateException("cannot tell");
            Work work = new Work(result, broken);
            Object ended = play(form, work);
            if (form.contains("outcome"))
                assertTrue(String.valueOf(ended instanceof CompletableFuture<?> f ? f.join() : ended)
                        .contains("cannot tell"));
            else if (ended instanceof CompletableFuture<?> future)
                assertSame(broken, future.handle((value, failure) -> failure).join());
            else assertSame(broken, ended);
            assertEquals(1, work.sent);
        }
    }
}
