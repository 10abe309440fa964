package dev.reprise.java;

import dev.reprise.java.internal.Timers;
import java.util.concurrent.atomic.AtomicReference;

/** A task for whoever takes it first: an executor, or another thread if that does not. It keeps nothing after that. */
final class Once extends AtomicReference<Runnable> implements Runnable {
    private static final long serialVersionUID = 1L;

    /** Stops the timer that would give the task to another thread. */
    private transient volatile Runnable timer;

    Once(Runnable task) {
        super(task);
    }

    /** Sets what stops the timer that is there for an executor that does not take the task. */
    void timedBy(Runnable timer) {
        this.timer = timer;
    }

    @Override
    public void run() {
        Runnable task = getAndSet(null);
        if (task == null) return;
        Timers.stop(timer);
        task.run();
    }
}
