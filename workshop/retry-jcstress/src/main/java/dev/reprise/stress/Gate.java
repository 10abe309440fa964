package dev.reprise.stress;

import dev.reprise.core.SendRateSettings;
import dev.reprise.core.shell.rate.RateOutcome;
import dev.reprise.core.shell.rate.SendRate;
import java.util.concurrent.atomic.AtomicInteger;

/** A send rate with as many permits as the test grants. */
final class Gate extends SendRate {
    private static final long HOUR = 3_600_000_000_000L;

    private final AtomicInteger permits = new AtomicInteger();
    private volatile boolean isShut;

    Gate() {
        super(SendRateSettings.EXACT, 0);
    }

    /** One permit more. */
    void grant() {
        putBack();
    }

    /** No permit within reach any more. */
    void shut() {
        isShut = true;
        tellWatcher();
    }

    int permits() {
        return permits.get();
    }

    @Override
    public boolean isOn() {
        return true;
    }

    @Override
    public boolean tryTake(long now) {
        return permits.getAndUpdate(there -> Math.max(0, there - 1)) > 0;
    }

    @Override
    public long waitNanos(long now, int ahead) {
        return isShut ? Long.MAX_VALUE : HOUR;
    }

    @Override
    public void putBack() {
        permits.incrementAndGet();
        tellWatcher();
    }

    @Override
    public void record(RateOutcome outcome, long sentAt, long now) {}
}
