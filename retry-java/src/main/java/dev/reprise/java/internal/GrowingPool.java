package dev.reprise.java.internal;

import dev.reprise.java.JavaWaiter;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A pool of few threads, which grows while users' code blocks them: when tasks wait, and hardly one has ended for a
 * while, each of them gets a thread. A crowd of quick tasks starts no more than the few.
 */
final class GrowingPool implements Executor {
    private static final long IDLE_SECONDS = 10;
    private static final Duration LOOK = Duration.ofMillis(4);

    /** Looks without progress before the pool grows: one alone may be a pause of the whole process. */
    private static final int STUCK_LOOKS = 2;

    /**
     * The same while a thread runs: it may be one that a busy machine gives no time, or one that waits for a socket.
     */
    private static final int RUNNING_LOOKS = 25;

    /** Fewer tasks than this between two looks are no progress. */
    private static final int PROGRESS = 16;

    private final int few;
    private final int most;
    private final ThreadPoolExecutor threads;
    private final Set<Thread> own = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean isWatched = new AtomicBoolean();

    // Used by the timer's thread.
    private long ended;
    private int stuckLooks;

    GrowingPool(String name, int few, int most) {
        this.few = few;
        this.most = most;
        threads = new ThreadPoolExecutor(
                few, most, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), work -> thread(name, work));
        threads.allowCoreThreadTimeOut(true);
    }

    @Override
    public void execute(Runnable task) {
        try {
            threads.execute(task);
        } catch (Throwable e) {
            // The system has no more threads. Those that are there take the task.
            threads.getQueue().add(task);
        }
        watchIfNeeded();
    }

    private void watchIfNeeded() {
        if (!threads.getQueue().isEmpty() && isWatched.compareAndSet(false, true))
            JavaWaiter.SYSTEM.after(LOOK, this::look);
    }

    private void look() {
        int waiting = threads.getQueue().size();
        long endedNow = threads.getCompletedTaskCount();
        stuckLooks = waiting > 0 && endedNow - ended < PROGRESS ? stuckLooks + 1 : 0;
        ended = endedNow;
        if (waiting == 0) threads.setCorePoolSize(few);
        else if (stuckLooks >= (areBlocked() ? STUCK_LOOKS : RUNNING_LOOKS))
            threads.setCorePoolSize(Math.min(most, threads.getPoolSize() + waiting));
        isWatched.set(false);
        watchIfNeeded();
    }

    private boolean areBlocked() {
        for (Thread thread : own) if (thread.getState() == Thread.State.RUNNABLE) return false;
        return true;
    }

    /** Whether {@code thread} is one of this pool. */
    boolean isMine(Thread thread) {
        return OwnThread.isOf(this, thread);
    }

    private Thread thread(String name, Runnable work) {
        Thread thread = OwnThread.of(this, name, () -> {
            try {
                work.run();
            } finally {
                own.remove(Thread.currentThread());
            }
        });
        own.add(thread);
        return thread;
    }
}
