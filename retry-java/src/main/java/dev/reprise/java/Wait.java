package dev.reprise.java;

import static dev.reprise.core.shell.time.NanosKt.UNLIMITED_NANOS;

import dev.reprise.coroutines.shell.SendRateLine;
import dev.reprise.coroutines.shell.SendRateLines;
import dev.reprise.coroutines.shell.Step;
import dev.reprise.java.internal.Elsewhere;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;

/**
 * A wait, for time or for a permit. It ends on the call's executor, and what follows it happens there. An executor that
 * does not take that before the call's deadline is no longer waited for.
 */
final class Wait<V> extends Step<V> implements Runnable, BiFunction<V, Throwable, Void> {
    private final FutureCall<?, ?> call;
    /** When the deadline is reached, by the system's clock; unlimited for none. */
    private final long deadlineAt;
    /** The line that {@link #place} is in; null in a wait for time. */
    private final SendRateLine line;

    private final CompletableFuture<V> place;

    private Wait(FutureCall<?, ?> call, long deadlineNanos, SendRateLine line, CompletableFuture<V> place) {
        super(call);
        this.call = call;
        this.deadlineAt = deadlineNanos == UNLIMITED_NANOS ? UNLIMITED_NANOS : System.nanoTime() + deadlineNanos;
        this.line = line;
        this.place = place;
    }

    /** A wait of {@code nanos}, begun. */
    static Wait<Void> ofTime(FutureCall<?, ?> call, long nanos, long deadlineNanos) {
        Wait<Void> wait = new Wait<>(call, deadlineNanos, null, null);
        wait.timedBy(call.threads.retrier.waiter().after(Duration.ofNanos(nanos), wait));
        return wait;
    }

    /** A wait for {@code place} in {@code line}. */
    static Wait<Long> ofPermit(
            FutureCall<?, ?> call, SendRateLine line, CompletableFuture<Long> place, long deadlineNanos) {
        Wait<Long> wait = new Wait<>(call, deadlineNanos, line, place);
        place.handle(wait);
        return wait;
    }

    @Override
    public boolean isWait() {
        return true;
    }

    /** The time is over. On the thread of the timer. */
    @Override
    public void run() {
        apply(null, null);
    }

    /** The wait is over. */
    @Override
    public Void apply(V result, Throwable failure) {
        // Gives the result once, also to a wait that has ended: that gives it back.
        Once over = new Once(() -> ends(result, failure));
        if (deadlineAt != UNLIMITED_NANOS) {
            Duration left = Duration.ofNanos(Math.max(deadlineAt - System.nanoTime(), 1));
            timedBy(call.threads.retrier.waiter().after(left, () -> Elsewhere.run(over)));
        }
        call.threads.afterWait(over, refusal -> {
            ends(null, refusal);
            over.run();
        });
        return null;
    }

    @Override
    protected void cancel() {
        if (place != null) place.cancel(true);
    }

    /** A permit that comes too late goes back. */
    @Override
    protected void late(V waited) {
        if (line != null && waited != null) SendRateLines.giveBack(line, (Long) waited);
    }
}
