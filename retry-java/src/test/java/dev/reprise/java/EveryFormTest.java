package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.reprise.core.CallOptions;
import dev.reprise.core.Polling;
import dev.reprise.core.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Every form of a call that a user would try, so that each of them compiles, and does what its name says. */
@DisplayName("Every form of a call")
class EveryFormTest {
    private static final Polling SECONDS = Polling.every(Duration.ofSeconds(1), Duration.ofMinutes(1));

    private final JavaRetrier retrier = JavaRetrier.of(RetryPolicy.STANDARD);
    private final Executor executor = Runnable::run;
    private final AtomicInteger calls = new AtomicInteger();

    private int work() {
        return calls.incrementAndGet();
    }

    private CompletableFuture<Integer> stage() {
        return CompletableFuture.completedFuture(work());
    }

    /** Makes a call in each form. Each returns the number of the call. */
    private List<Callable<Integer>> formsOf(JavaRetrier retrier) {
        return List.of(
                () -> retrier.call(() -> work()),
                () -> retrier.call(this::work),
                () -> retrier.callWithAttempt(a -> work() * a.getNumber()),
                () -> retrier.callInterruptibly(() -> work()),
                () -> retrier.callInterruptiblyWithAttempt(a -> work() * a.getNumber()),
                () -> {
                    retrier.run(() -> work());
                    return calls.get();
                },
                () -> {
                    retrier.runWithAttempt(a -> work());
                    return calls.get();
                },
                () -> retrier.outcome(() -> work()).getOrThrow(),
                () -> retrier.outcomeWithAttempt(a -> work() * a.getNumber()).getOrThrow(),
                () -> retrier.callAsync(() -> stage()).join(),
                () -> retrier.callAsyncWithAttempt(a -> stage()).join(),
                () -> retrier.callAsync(() -> work(), executor).join(),
                () -> retrier.callAsyncWithAttempt(a -> work() * a.getNumber(), executor)
                        .join(),
                () -> retrier.outcomeAsync(() -> stage()).join().getOrThrow(),
                () -> retrier.outcomeAsyncWithAttempt(a -> stage()).join().getOrThrow(),
                () -> retrier.outcomeAsync(() -> work(), executor).join().getOrThrow(),
                () -> retrier.outcomeAsyncWithAttempt(a -> work() * a.getNumber(), executor)
                        .join()
                        .getOrThrow(),
                () -> retrier.pollUntil(SECONDS, n -> true, () -> work()),
                () -> retrier.pollOutcome(SECONDS, n -> true, () -> work()).getOrThrow(),
                () -> retrier.pollUntilAsync(SECONDS, n -> true, () -> stage()).join(),
                () -> retrier.pollUntilAsync(SECONDS, n -> true, () -> work(), executor)
                        .join(),
                () -> retrier.pollOutcomeAsync(SECONDS, n -> true, () -> stage())
                        .join()
                        .getOrThrow(),
                () -> retrier.pollOutcomeAsync(SECONDS, n -> true, () -> work(), executor)
                        .join()
                        .getOrThrow());
    }

    @Test
    @DisplayName("returns what its work returned")
    void results() throws Exception {
        List<Callable<Integer>> forms = formsOf(retrier);
        for (int i = 0; i < forms.size(); i++) assertEquals(i + 1, forms.get(i).call());
    }

    @Test
    @DisplayName("has the options of its view")
    void options() throws Exception {
        List<String> operations = new ArrayList<>();
        JavaRetrier heard = retrier.with(event -> operations.add(event.getOperation()));
        List<Callable<Integer>> forms = formsOf(heard.withOptions(CallOptions.named("read")));
        for (Callable<Integer> form : forms) {
            operations.clear();
            form.call();
            assertEquals(Collections.nCopies(operations.size(), "read"), operations);
            assertEquals(true, operations.size() >= 3);
        }
    }

    @Test
    @DisplayName("on a view follows an update of the retrier, and updates it")
    void followsUpdate() {
        JavaRetrier view = retrier.withOptions(CallOptions.named("read"));
        retrier.update(RetryPolicy.NONE);
        assertEquals(RetryPolicy.NONE, view.policy());
        assertEquals(true, view.callWithAttempt(a -> a.isLast()));
        view.update(RetryPolicy.STANDARD);
        assertEquals(RetryPolicy.STANDARD, retrier.policy());
        assertEquals(false, view.callWithAttempt(a -> a.isLast()));
        assertEquals(retrier.retrier().getQuota(), view.retrier().getQuota());
    }

    @Test
    @DisplayName("keeps the options of its view with another policy or listener, and has the last ones set")
    void keepsOptions() {
        List<String> operations = new ArrayList<>();
        retrier.withOptions(CallOptions.named("write"))
                .withOptions(CallOptions.named("read"))
                .with(RetryPolicy.ANY_EXCEPTION)
                .with(event -> operations.add(event.getOperation()))
                .call(this::work);
        assertEquals(Collections.nCopies(operations.size(), "read"), operations);
    }

    @Test
    @DisplayName("refuses a null at the door")
    void nulls() {
        assertEquals("work", nameOf(() -> retrier.callWithAttempt(null)));
        assertEquals("work", nameOf(() -> retrier.run(null)));
        assertEquals("options", nameOf(() -> retrier.withOptions(null)));
        assertEquals("work", nameOf(() -> retrier.callAsync(null, executor)));
        assertEquals("executor", nameOf(() -> retrier.callAsync(() -> 1, null)));
        assertEquals("retrier", nameOf(() -> JavaRetrier.sharing(null)));
        assertEquals(0, calls.get());
    }

    private static String nameOf(ThrowingRunnable<?> call) {
        return assertThrows(NullPointerException.class, call::run).getMessage();
    }
}
