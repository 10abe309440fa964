package dev.reprise.java;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.reprise.core.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Attempts run at 0-20, 70-90 and 190-210 ms, waits between them: every millisecond is tried. */
@DisplayName(
        "A call that is ended from outside at any moment stops then, and leaves no timer, no interrupt and no quota")
class AnyMomentTest {
    private static final long MILLI = 1_000_000;

    private final VirtualTime time = new VirtualTime();
    private final JavaRetrier retrier = time.retrier(
                    RetryPolicy.builder().attemptTimeout(Duration.ofSeconds(1)).build())
            .executor(Runnable::run)
            .build();

    static LongStream moments() {
        return LongStream.range(1, 210);
    }

    /** A retry that has begun is paid for, one that has not is not. */
    private void assertStoppedAt(long moment) {
        assertEquals(moment * MILLI, time.nanoTime());
        assertEquals(0, time.pending());
        int begunRetries = moment <= 70 ? 0 : moment <= 190 ? 1 : 2;
        assertEquals(500 - 14 * begunRetries, retrier.retrier().getQuota().getAvailable());
    }

    @ParameterizedTest(name = "blocking, {0} ms")
    @MethodSource("moments")
    void blocking(long moment) {
        time.after(moment * MILLI, Thread.currentThread()::interrupt);

        assertThrows(
                InterruptedException.class,
                () -> retrier.callInterruptibly(() -> {
                    time.pass(20 * MILLI);
                    throw new IOException("reset");
                }));

        assertFalse(Thread.interrupted());
        assertStoppedAt(moment);
    }

    @ParameterizedTest(name = "asynchronous, {0} ms")
    @MethodSource("moments")
    void asynchronous(long moment) {
        CompletableFuture<String> call = retrier.callAsync(() -> {
            CompletableFuture<String> attempt = new CompletableFuture<>();
            Runnable callOff = time.after(20 * MILLI, () -> attempt.completeExceptionally(new IOException("reset")));
            attempt.whenComplete((result, failure) -> callOff.run());
            return attempt;
        });
        time.after(moment * MILLI, () -> call.cancel(true));

        while (!call.isDone()) time.runNext();

        assertThrows(CancellationException.class, call::join);
        assertStoppedAt(moment);
    }

    /** The first attempt is over when the caller gets the future. */
    static LongStream momentsAfterFirst() {
        return moments().skip(20);
    }

    @ParameterizedTest(name = "on an executor that runs tasks at once, {0} ms")
    @MethodSource("momentsAfterFirst")
    void onExecutor(long moment) {
        Callable<String> work = () -> {
            time.pass(20 * MILLI);
            throw new IOException("reset");
        };
        AtomicReference<CompletableFuture<String>> held = new AtomicReference<>();
        time.after(moment * MILLI, () -> held.get().cancel(true));
        CompletableFuture<String> call = retrier.callAsync(work, Runnable::run);
        held.set(call);

        while (!call.isDone()) time.runNext();

        assertThrows(CancellationException.class, call::join);
        assertFalse(Thread.interrupted());
        assertStoppedAt(moment);
    }
}
