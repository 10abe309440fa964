package dev.reprise.java.internal;

import dev.reprise.java.JavaWaiter;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;

/** A task for whoever takes it first: an executor, or another thread if that does not. It keeps nothing after that. */
public final class Once extends AtomicReference<Runnable> implements Runnable {
    private static final long serialVersionUID = 1L;

    /** An executor that takes longer does not take a task at once. */
    private static final Duration AT_ONCE = Duration.ofMillis(10);

    /** Stops the timer that would give the task to another thread. */
    private transient volatile Runnable timer;

    public Once(Runnable task) {
        super(task);
    }

    /** Has {@code executor} run the task, or {@code other} if that refuses. */
    public void runOn(Executor executor, Executor other) {
        try {
            executor.execute(this);
        } catch (Throwable e) {
            // Code of others, which may throw anything.
            other.execute(this);
        }
    }

    /**
     * Has {@code executor} run the task, or {@code other} if that does not within 10 ms of real time. No helper thread
     * calls the executor, which may block its caller: limits of other calls would wait for it.
     */
    public void runSoonOn(Executor executor, Executor other) {
        timer = JavaWaiter.SYSTEM.after(AT_ONCE, () -> other.execute(this));
        if (!Elsewhere.isHelper()) {
            runOn(executor, other);
            return;
        }
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        Elsewhere.attempts().execute(Elsewhere.loadingBy(loader, () -> runOn(executor, other)));
    }

    @Override
    public void run() {
        Runnable task = getAndSet(null);
        if (task == null) return;
        Timers.stop(timer);
        task.run();
    }
}
