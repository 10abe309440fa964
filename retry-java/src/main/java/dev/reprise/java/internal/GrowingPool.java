package dev.reprise.java.internal;

import dev.reprise.java.JavaWaiter;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A pool of few threads, which grows while users' code blocks them: when tasks wait, and hardly one has ended for a
 * while, it gets more, and each of those starts others, until no task waits. A crowd of quick tasks starts no more than
 * the few. Threads take tasks in turn, so that even a trickle of tasks keeps each of them from being idle for long:
 * threads that the pool has not needed lately end all the same.
 */
final class GrowingPool implements Executor {
    private static final Duration IDLE = Duration.ofSeconds(10);
    private static final Duration LOOK = Duration.ofMillis(4);

    /** Looks without progress before the pool grows: one alone may be a pause of the whole process. */
    private static final int STUCK_LOOKS = 3;

    /**
     * Fewer tasks between two looks are no progress, unless no more had waited; nor are those that new threads ended
     * before they were blocked.
     */
    private static final int PROGRESS = 16;

    private static final int PER_THREAD = 4;

    /** Threads to start at a look: to start a hundred takes longer than timers may be held up. */
    private static final int AT_A_LOOK = 8;

    private final int few;
    private final int most;
    private final long idleNanos;
    private final ThreadPoolExecutor threads;
    private final AtomicBoolean isWatched = new AtomicBoolean();

    /** The pool refuses a core above the maximum: who grows it shares this, who shrinks it has it alone. */
    private final ReadWriteLock sizes = new ReentrantReadWriteLock();

    private volatile boolean isStuck;

    // Used by the timer's thread.
    private long seen;
    private int waited;
    private int stuckLooks;
    private int busiest;
    private long shrunkAt = System.nanoTime();

    GrowingPool(String name, int few, int most) {
        this(name, few, most, IDLE);
    }

    /** A pool whose threads end when they were idle, or more than it needed, for so long. */
    GrowingPool(String name, int few, int most, Duration idle) {
        this.few = few;
        this.most = most;
        idleNanos = idle.toNanos();
        threads = new ThreadPoolExecutor(
                few,
                most,
                idleNanos,
                TimeUnit.NANOSECONDS,
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
            int waiting = threads.getQueue().size();
            long progress = threads.getCompletedTaskCount() - PER_THREAD * threads.getPoolSize();
            boolean isProgress = progress - seen >= Math.min(PROGRESS, waited);
            stuckLooks = lacking() <= 0 || isProgress ? 0 : stuckLooks + 1;
            seen = progress;
            waited = waiting;
            isStuck = stuckLooks >= STUCK_LOOKS;
            busiest = Math.max(busiest, threads.getActiveCount());
            if (waiting == 0) shrink();
            else grow(AT_A_LOOK);
        } finally {
            isWatched.set(false);
            watchIfNeeded();
        }
    }

    /**
     * Starts no more threads than the few, and from time to time ends those that were not needed since the last time.
     */
    private void shrink() {
        if (!sizes.writeLock().tryLock()) return;
        try {
            // Each of these sizes, once it is below the number of threads, wakes all that are idle.
            if (threads.getCorePoolSize() > few) threads.setCorePoolSize(few);
            long now = System.nanoTime();
            if (now - shrunkAt < idleNanos) return;
            threads.setMaximumPoolSize(Math.min(most, busiest + few));
            busiest = 0;
            shrunkAt = now;
        } finally {
            sizes.writeLock().unlock();
        }
    }

    private void grow(int more) {
        if (!isStuck) return;
        int lacking = lacking();
        if (lacking <= 0) return;
        sizes.readLock().lock();
        try {
            threads.setMaximumPoolSize(most);
            threads.setCorePoolSize(Math.max(few, Math.min(most, threads.getPoolSize() + Math.min(more, lacking))));
        } finally {
            sizes.readLock().unlock();
        }
        threads.prestartCoreThread();
    }

    /** How many tasks wait for which there is no idle thread: on a busy machine a thread that is woken comes late. */
    private int lacking() {
        return threads.getQueue().size() - (threads.getPoolSize() - threads.getActiveCount());
    }

    /** Whether {@code thread} is one of this pool. */
    boolean isMine(Thread thread) {
        return OwnThread.isOf(this, thread);
    }
}
