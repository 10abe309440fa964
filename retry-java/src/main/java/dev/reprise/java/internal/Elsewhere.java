package dev.reprise.java.internal;

import dev.reprise.java.JavaWaiter;
import java.time.Duration;
import java.util.concurrent.Executor;

/** The threads of this library beside the timer's: daemon threads, so many at most, that end when they are idle. */
public final class Elsewhere {
    /**
     * Carries out limits, closes connections, and completes futures whose executor does not: all that must not be late.
     */
    private static final GrowingPool HELPING = new GrowingPool("reprise-helper", 4, 512);

    /**
     * Makes the attempts that follow a wait, where the user has named no executor, and calls the executor that he
     * named.
     */
    private static final GrowingPool ATTEMPTING =
            new GrowingPool("reprise-attempt", Math.min(Runtime.getRuntime().availableProcessors(), 256), 256);

    private Elsewhere() {}

    /** Runs {@code task} on a helper thread, and returns at once. */
    public static void run(Runnable task) {
        HELPING.execute(task);
    }

    /**
     * Runs {@code task} after {@code delay}, which is above zero: on a helper thread, or, where {@code waiter}
     * simulates time, as that does. Returns a handle that cancels it.
     */
    public static Runnable after(JavaWaiter waiter, Duration delay, Runnable task) {
        return waiter.after(delay, waiter == JavaWaiter.SYSTEM ? () -> run(task) : task);
    }

    /** The default executor of attempts that follow a wait. */
    public static Executor attempts() {
        return ATTEMPTING;
    }

    /** {@code task} with {@code loader}: these threads have no class loader of their own. */
    public static Runnable loadingBy(ClassLoader loader, Runnable task) {
        return () -> {
            Thread thread = Thread.currentThread();
            thread.setContextClassLoader(loader);
            try {
                task.run();
            } finally {
                thread.setContextClassLoader(null);
            }
        };
    }

    /** Whether this is a helper thread, which makes no attempt. */
    public static boolean isHelper() {
        return HELPING.isMine(Thread.currentThread());
    }
}
