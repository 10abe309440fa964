package dev.reprise.java;

import dev.reprise.coroutines.shell.SendRateLine;
import dev.reprise.coroutines.shell.SendRateLines;
import dev.reprise.coroutines.shell.Step;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;

/**
 * A wait, for time or for a permit. The call goes on on a helper thread: no executor holds up the next attempt's limit.
 */
final class Wait<V> extends Step<V> implements Runnable, BiFunction<V, Throwable, Void> {
    private final FutureCall<?, ?> call;
    /** The line that {@link #place} is in; null in a wait for time. */
    private final SendRateLine line;

    private final CompletableFuture<V> place;

    private Wait(FutureCall<?, ?> call, SendRateLine line, CompletableFuture<V> place) {
        super(call);
        this.call = call;
        this.line = line;
        this.place = place;
    }

    /** A wait of {@code nanos}, begun. */
    static Wait<Void> ofTime(FutureCall<?, ?> call, long nanos) {
        Wait<Void> wait = new Wait<>(call, null, null);
        wait.timedBy(call.threads.retrier.waiter().after(Duration.ofNanos(nanos), wait));
        return wait;
    }

    /** A wait for {@code place} in {@code line}. */
    static Wait<Long> ofPermit(FutureCall<?, ?> call, SendRateLine line, CompletableFuture<Long> place) {
        Wait<Long> wait = new Wait<>(call, line, place);
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
        call.threads.onHelper(() -> ends(result, failure));
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
