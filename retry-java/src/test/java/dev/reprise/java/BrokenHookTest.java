package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.reprise.core.Attempt;
import dev.reprise.core.Hedge;
import dev.reprise.core.RetryEvent;
import dev.reprise.core.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A call that ends in the common pool has no more to do with the virtual time. */
@DisplayName("A question to the work that throws")
@Timeout(60)
class BrokenHookTest {
    private static final RetryPolicy POLICY =
            RetryPolicy.builder().fixedBackoff(Duration.ofMillis(10)).build();
    private static final RetryPolicy HEDGED =
            POLICY.toBuilder().hedge(Hedge.after(Duration.ofMillis(50), 1.0)).build();

    private final VirtualTime time = new VirtualTime();
    private final List<RetryEvent> events = new CopyOnWriteArrayList<>();

    private JavaRetrier retrier(RetryPolicy policy) {
        return time.retrier(policy)
                .executor(Runnable::run)
                .listener(events::add)
                .build();
    }

    /** Work whose attempts have these stages, and that throws when it is asked {@code hook}. */
    private record Work(String hook, List<CompletableFuture<String>> stages) implements AsyncAttempt<String> {
        private <T> T asked(String question, T answer) {
            if (question.equals(hook)) throw new IllegalStateException(hook);
            return answer;
        }

        @Override
        public CompletionStage<String> start(Attempt attempt) {
            return stages.get(attempt.getNumber() - 1);
        }

        @Override
        public Executor executor() {
            return asked("executor", null);
        }

        @Override
        public boolean mayRepeat() {
            return asked("mayRepeat", true);
        }

        @Override
        public boolean mayRunTwice() {
            return asked("mayRunTwice", true);
        }

        @Override
        public boolean releasesBeforeWait() {
            return asked("releasesBeforeWait", false);
        }
    }

    private static CompletableFuture<String> reset() {
        return CompletableFuture.failedFuture(new IOException("reset"));
    }

    @ParameterizedTest(name = "{0}, with a hedge: {1}")
    @CsvSource({
        "executor, false",
        "executor, true",
        "mayRepeat, false",
        "mayRepeat, true",
        "mayRunTwice, true",
        "releasesBeforeWait, false",
        "releasesBeforeWait, true",
    })
    @DisplayName("ends the call with what it threw, and gives back what the next attempt would have cost")
    void endsTheCall(String hook, boolean isHedged) {
        JavaRetrier retrier = retrier(isHedged ? HEDGED : POLICY);
        CompletableFuture<String> call = retrier.callAsyncWithAttempt(
                new Work(hook, List.of(reset(), CompletableFuture.completedFuture("good"))));
        time.runAll();

        Throwable failure = assertThrows(CompletionException.class, call::join).getCause();

        assertEquals(hook, failure.getMessage());
        assertEquals(500, retrier.retrier().getQuota().getAvailable());
        assertEquals(
                hook.equals("releasesBeforeWait") ? 0 : 1,
                events.stream()
                        .filter(event -> event instanceof RetryEvent.CallGaveUp)
                        .count());
    }

    @Test
    @DisplayName("for the executor of a copy leaves the first execution alone")
    void sendsNoCopy() {
        CompletableFuture<String> first = new CompletableFuture<>();
        CompletableFuture<String> call = retrier(HEDGED).callAsyncWithAttempt(new Work("executor", List.of(first)));
        time.runAll();

        first.complete("good");

        assertEquals("good", call.join());
    }

    /** A waiter whose timers throw. */
    private static final JavaWaiter WITHOUT_TIMERS = new JavaWaiter() {
        @Override
        public void await(Duration duration) {}

        @Override
        public Runnable after(Duration duration, Runnable task) {
            throw new IllegalStateException("timer");
        }
    };

    @Test
    @DisplayName("for the time of a copy leaves the first execution alone, on a thread and as a future")
    void timesNoCopy() throws Exception {
        JavaRetrier retrier = JavaRetrier.builder(HEDGED)
                .waiter(WITHOUT_TIMERS)
                .executor(Runnable::run)
                .hedgeExecutor(Runnable::run)
                .build();
        CompletableFuture<String> first = new CompletableFuture<>();

        CompletableFuture<String> call = retrier.callAsync(() -> first);
        first.complete("good");

        assertEquals("good", call.join());
        assertEquals("good", retrier.call(() -> "good"));
    }
}
