package dev.reprise.java.internal;

import dev.reprise.java.JavaWaiter;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A pool of few threads, which grows while users' code blocks them: when tasks wait, and hardly one has ended for a
 * while, it gets more, and each of those starts others, until no task waits. A crowd of quick tasks starts no more than
 * the few.
 */
final class GrowingPool implements Executor {
    private static final long IDLE_SECONDS = 10;
    private static final Duration LOOK = Duration.ofMillis(4);

    /** Looks without progress before the pool grows: one alone may be a pause of the whole process. */
    private static final int STUCK_LOOKS = 3;

    /** Fewer tasks between two looks are no progress; nor are those that new threads ended before they were blocked. */
    private static final int PROGRESS = 16;

    private static final int PER_THREAD = 4;

    /** Threads to start at a look: to start a hundred takes longer than timers may be held up. */
    private static final int AT_A_LOOK = 8;

    private final int few;
    private final int most;
    private final ThreadPoolExecutor threads;
    private final AtomicBoolean isWatched = new AtomicBoolean();
    private volatile boolean isStuck;

    // Used by the timer's thread.
    private long seen;
    private int stuckLooks;

    GrowingPool(String name, int few, int most) {
        this.few = few;
        this.most = most;
        threads = new ThreadPoolExecutor(
                few,
                most,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                work -> OwnThread.of(this, name, () -> {
                    grow(2);
                    work.run();
                }));
        threads.allowCoreThreadTimeOut(true);
    }

    @Override
    public void execute(Runnable task) {
        try {
            threads.execute(task);
        } catch (Throwable e) {
            // The system has no more threads. Those that are there take the task, or the next one that can be had.
            threads.getQueue().add(task);
        }
        watchIfNeeded();
    }

    private void watchIfNeeded() {
        if (!threads.getQueue().isEmpty() && isWatched.compareAndSet(false, true))
            JavaWaiter.SYSTEM.after(LOOK, this::look);
    }

    private void look() {
        try {
            boolean isIdle = threads.getQueue().isEmpty();
            long progress = threads.getCompletedTaskCount() - PER_THREAD * threads.getPoolSize();
            stuckLooks = isIdle || progress - seen >= PROGRESS ? 0 : stuckLooks + 1;
            seen = progress;
            isStuck = stuckLooks >= STUCK_LOOKS;
            if (isIdle) threads.setCorePoolSize(few);
            else grow(AT_A_LOOK);
        } finally {
            isWatched.set(false);
            watchIfNeeded();
        }
    }

    private void grow(int more) {
        if (!isStuck || threads.getQueue().isEmpty()) return;
        threads.setCorePoolSize(Math.max(few, Math.min(most, threads.getPoolSize() + more)));
        threads.prestartCoreThread();
    }

    /** Whether {@code thread} is one of this pool. */
    boolean isMine(Thread thread) {
        return OwnThread.isOf(this, thread);
    }
}
