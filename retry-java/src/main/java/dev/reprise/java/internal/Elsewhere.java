package dev.reprise.java.internal;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads of this library beside the timer's: daemon threads, so many at most, that end when they are idle. A task
 * waits for a thread only while all of them are busy, as with users' code that blocks.
 */
public final class Elsewhere {
    private static final long IDLE_SECONDS = 10;

    /**
     * Carries out limits, closes connections, and completes futures whose executor does not: all that must not be late.
     */
    private static final int HELPERS = 512;

    /**
     * Makes the attempts that follow a wait, where the user has named no executor, and calls the executor that he
     * named.
     */
    private static final int ATTEMPTS = 256;

    private static final ThreadPoolExecutor HELPING = threads("reprise-helper", HELPERS);
    private static final ThreadPoolExecutor ATTEMPTING = threads("reprise-attempt", ATTEMPTS);

    private Elsewhere() {}

    /** Runs {@code task} on a helper thread, and returns at once. */
    public static void run(Runnable task) {
        execute(HELPING, task);
    }

    /** The default executor of attempts that follow a wait. */
    public static Executor attempts() {
        return task -> execute(ATTEMPTING, task);
    }

    /** Whether this is a helper thread, which makes no attempt. */
    public static boolean isHelper() {
        return Thread.currentThread() instanceof Own thread && thread.helps;
    }

    private static void execute(ThreadPoolExecutor threads, Runnable task) {
        try {
            threads.execute(task);
        } catch (Throwable e) {
            // The system has no more threads. Those that are there take the task.
            threads.getQueue().add(task);
        }
    }

    private static ThreadPoolExecutor threads(String name, int most) {
        LinkedTransferQueue<Runnable> queue = new LinkedTransferQueue<>() {
            private static final long serialVersionUID = 1L;

            /** Takes a task for an idle thread alone: otherwise the pool starts one. */
            @Override
            public boolean offer(Runnable task) {
                return tryTransfer(task);
            }
        };
        return new ThreadPoolExecutor(
                0, most, IDLE_SECONDS, TimeUnit.SECONDS, queue, work -> new Own(name, work), Elsewhere::waits);
    }

    /** All threads are busy. */
    private static void waits(Runnable task, ThreadPoolExecutor threads) {
        threads.getQueue().add(task);
        // They may have ended meanwhile.
        if (threads.getPoolSize() == 0 && threads.getQueue().remove(task)) threads.execute(task);
    }

    private static final class Own extends Thread {
        private final boolean helps;

        Own(String name, Runnable work) {
            super(null, work, name, 0, false);
            helps = name.equals("reprise-helper");
            setDaemon(true);
            // The thread outlives the call that starts it, and must not keep the classes of its caller alive.
            setContextClassLoader(null);
        }
    }
}
