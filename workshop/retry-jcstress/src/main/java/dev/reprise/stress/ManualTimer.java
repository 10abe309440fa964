package dev.reprise.stress;

import dev.reprise.java.JavaWaiter;
import java.time.Duration;

/** The one timer of a call, which fires when the test says so. */
final class ManualTimer implements JavaWaiter {
    private volatile Runnable task;

    @Override
    public void await(Duration duration) {}

    @Override
    public Runnable after(Duration duration, Runnable task) {
        this.task = task;
        return () -> {};
    }

    /** The time is over. May come after the timer was cancelled, as it can with any timer. */
    void fire() {
        task.run();
    }
}
