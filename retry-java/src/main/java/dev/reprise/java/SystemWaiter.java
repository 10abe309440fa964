package dev.reprise.java;

import dev.reprise.core.shell.time.NanosKt;
import dev.reprise.java.internal.OwnThread;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Real time. Its one thread starts with the first task, and ends when there has been none for a while. */
final class SystemWaiter implements JavaWaiter {
    private static final long IDLE_SECONDS = 10;

    /** Made with the first task: blocking calls without a limit need none. */
    private static final class Timer {
        static final ScheduledThreadPoolExecutor THREAD =
                new ScheduledThreadPoolExecutor(1, work -> OwnThread.of(Timer.class, "reprise-timer", work));

        static {
            // A cancelled task would otherwise stay, with all that it holds, until its time comes.
            THREAD.setRemoveOnCancelPolicy(true);
            THREAD.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
            THREAD.allowCoreThreadTimeOut(true);
        }
    }

    @Override
    public void await(Duration duration) throws InterruptedException {
        long nanos = NanosKt.toNanosSaturated(duration);
        long start = System.nanoTime();
        long left = nanos;
        while (left > 0) {
            if (Thread.interrupted()) throw new InterruptedException();
            LockSupport.parkNanos(this, left);
            left = nanos - (System.nanoTime() - start);
        }
    }

    @Override
    public Runnable after(Duration duration, Runnable task) {
        long nanos = NanosKt.toNanosSaturated(duration);
        Later later = new Later(task);
        later.future = Timer.THREAD.schedule((Callable<Void>) later, nanos, TimeUnit.NANOSECONDS);
        return later;
    }

    /** A task and its handle in one: a hundred thousand calls may wait. */
    private static final class Later implements Callable<Void>, Runnable {
        private final Runnable task;
        private Future<Void> future;

        Later(Runnable task) {
            this.task = task;
        }

        @Override
        public Void call() {
            task.run();
            return null;
        }

        /** Cancels the task. */
        @Override
        public void run() {
            future.cancel(false);
        }
    }

    @Override
    public String toString() {
        return "system";
    }
}
