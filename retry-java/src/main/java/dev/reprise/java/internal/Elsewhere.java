package dev.reprise.java.internal;

import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Runs timers' tasks that may block, such as closing a connection or a user's code. The timers share one thread, and
 * the common pool has few; here each task that blocks has a daemon thread to itself.
 */
public final class Elsewhere {
    private static final long IDLE_SECONDS = 10;

    private static final ThreadPoolExecutor THREADS = new ThreadPoolExecutor(
            0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), Elsewhere::thread);

    private Elsewhere() {}

    /** Runs {@code task} on another thread, and returns at once. */
    public static void run(Runnable task) {
        THREADS.execute(task);
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(null, work, "reprise-cut", 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(null);
        return thread;
    }
}
