package dev.reprise.java;

import dev.reprise.java.internal.Elsewhere;
import dev.reprise.java.internal.Once;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * The threads of one {@link FutureCall}: the executor that its user named, and this library's own where that is not to
 * be waited for. No timer's thread runs code of others.
 */
final class CallThreads {
    final SharedRetrier retrier;
    /** The work that returns a stage, and may name an executor; null where {@link #own} does the work. */
    private final AsyncAttempt<?> work;

    /** The executor whose threads do the attempts' work; null where that returns stages. */
    final Executor own;

    /**
     * The thread that the executor ran this call on last. Without one, that which makes the call, while it does: also a
     * helper, which makes no other attempt.
     */
    private volatile Thread executing;

    /** What the caller's thread loads classes by; the library's own threads have none. */
    private final ClassLoader loader = Thread.currentThread().getContextClassLoader();

    CallThreads(SharedRetrier retrier, AsyncAttempt<?> work, Executor own) {
        this.retrier = retrier;
        this.work = work;
        this.own = own;
        executing = own == null ? Thread.currentThread() : null;
    }

    /** The call is made: whoever goes on with it is another. */
    void made() {
        if (own == null) executing = null;
    }

    /**
     * Starts {@code execution}: here, if this is the executor's thread, or one that may start work which returns a
     * stage; else on the executor.
     */
    void start(Execution<?> execution) {
        boolean isHelper = Elsewhere.isHelper();
        boolean isHere = Thread.currentThread() == executing || (own == null && !isHelper);
        if (isHere) execution.run();
        else if (isHelper) onAttemptThread(() -> give(execution, execution::refused));
        else give(execution, execution::refused);
    }

    /**
     * Completes the future on its executor, or on a helper thread if that does not take it at once. Two do not wait for
     * an executor that blocks its caller: who makes the call, and has no future yet, and a thread of the executor,
     * whose place in it may be what the task would wait for.
     */
    void deliver(Runnable delivery) {
        Executor executor = completing();
        if (executor == null) {
            delivery.run();
            return;
        }
        Once once = new Once(delivery);
        if (!retrier.isReal()) once.runOn(executor, this::onHelper);
        else if (Thread.currentThread() == executing) onHelper(() -> once.runSoonOn(executor, this::onHelper));
        else once.runSoonOn(executor, this::onHelper);
    }

    /** The executor that the future completes on; null for this thread. */
    private Executor completing() {
        if (own == null && retrier.executor != null) return retrier.executor;
        return Elsewhere.isHelper() ? executor() : null;
    }

    /** The executor that the user has named for this call; null if he named none. */
    private Executor executor() {
        if (own != null) return own;
        try {
            Executor named = work.executor();
            return named == null ? retrier.executor : named;
        } catch (Throwable e) {
            // Code of others: as an executor that rejects.
            return task -> {
                throw Throwables.<RuntimeException>rethrow(e);
            };
        }
    }

    /** Gives {@code task} to the executor; this thread is its own if the user named none. */
    void give(Runnable task, Consumer<Throwable> refused) {
        try {
            Executor executor = executor();
            if (executor == null) task.run();
            else
                executor.execute(() -> {
                    executing = Thread.currentThread();
                    task.run();
                });
        } catch (Throwable e) {
            refused.accept(e);
        }
    }

    /** {@link #give}s {@code task}, which starts a copy: on no timer's thread. An executor that refuses starts none. */
    void forCopy(Runnable task) {
        if (isOnOwnThreads()) onAttemptThread(() -> give(task, refusal -> {}));
        else give(task, refusal -> {});
    }

    /** Runs {@code task}, a part of a limit or a turn, not here: also if the executor does not. */
    void onHelper(Runnable task) {
        if (isOnOwnThreads()) {
            Elsewhere.run(Elsewhere.loadingBy(loader, task));
            return;
        }
        Once once = new Once(task);
        give(once, refusal -> Elsewhere.run(once));
    }

    private void onAttemptThread(Runnable task) {
        Elsewhere.attempts().execute(Elsewhere.loadingBy(loader, task));
    }

    /** Whether threads of this library take part: not where a program simulates time, with an executor of its own. */
    private boolean isOnOwnThreads() {
        return retrier.isReal() || executor() == null;
    }
}
