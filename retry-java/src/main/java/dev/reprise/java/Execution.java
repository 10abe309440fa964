package dev.reprise.java;

import static dev.reprise.core.shell.time.NanosKt.UNLIMITED_NANOS;

import dev.reprise.core.Attempt;
import dev.reprise.core.AttemptTimeoutException;
import dev.reprise.core.shell.layers.Moments;
import dev.reprise.core.shell.text.WarningLog;
import dev.reprise.coroutines.shell.Step;
import dev.reprise.coroutines.shell.StepEnd;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.BiFunction;

/**
 * An attempt of a {@link FutureCall}, as the step that it waits for. It starts work that returns a stage, or does the
 * work on the executor's thread.
 */
class Execution<T> extends Step<T> implements Runnable, BiFunction<T, Throwable, Void> {
    private static final String BLOCKED_START = "an attempt timeout passed while the attempt's work blocked its "
            + "thread, before it returned a stage: that goes on. Start the work and return, or give it to an executor";

    final FutureCall<T, ?> call;
    private final Attempt attempt;

    /** The stage of the work, or the guard of the thread that does it; null until it has begun. */
    private volatile Object running;

    /** Whether the thread that did the work was interrupted, by the application, and had not taken that. */
    volatile boolean isInterrupted;

    /** Whether the limit fired; the work may have ended in that moment. */
    boolean hasTimedOut;

    /** Whether the executor did not take the work. */
    boolean isRefused;

    Execution(FutureCall<T, ?> call, Attempt attempt) {
        super(call);
        this.call = call;
        this.attempt = attempt;
    }

    @Override
    protected void begin() {
        long limit = attempt.getTimeLeftNanos();
        if (limit == 0) ends(null, timeout().failure);
        else if (limit != UNLIMITED_NANOS)
            timedBy(call.threads.retrier.waiter().after(Duration.ofNanos(limit), this::timesOut));
        if (getEnd() == null) call.threads.start(this);
    }

    /** Begins the work, on the thread that it is to begin on. */
    @Override
    public void run() {
        if (!isHere(Moments.now())) return;
        if (call.threads.own != null) doWork();
        else follow(call.stageOf(attempt));
    }

    /** Waits for {@code stage}, which was begun at that moment. */
    final void follow(CompletionStage<T> stage, long from) {
        isHere(from);
        follow(stage);
    }

    private void follow(CompletionStage<T> stage) {
        wasHere();
        running = stage;
        if (getEnd() != null) {
            cancel();
            if (getEnd().failure instanceof AttemptTimeoutException) WarningLog.INSTANCE.tell(BLOCKED_START);
        }
        stage.handle(this);
    }

    @Override
    public final Void apply(T result, Throwable failure) {
        ends(result, Throwables.withoutWrappers(failure));
        return null;
    }

    private void doWork() {
        AttemptGuard guard = new AttemptGuard();
        running = guard;
        T result = null;
        Throwable failure = null;
        // Looked at after the guard is there: what ends this either finds the guard, or is found here.
        boolean isWanted = getEnd() == null;
        try {
            if (isWanted) result = call.resultOf(attempt);
        } catch (Throwable e) {
            failure = e;
        }
        wasHere();
        // Ends in any case: a guard left behind would interrupt whatever runs next on this thread.
        guard.endsWith(failure);
        isInterrupted = Thread.currentThread().isInterrupted();
        if (isWanted) ends(result, Throwables.withoutWrappers(failure));
    }

    /** The executor does not take the work, for {@code reason}. */
    final void refused(Throwable reason) {
        isRefused = true;
        ends(null, reason);
    }

    /** Whether this is an attempt after the first that the executor did not take: it gives back what it cost. */
    final boolean isWithdrawn() {
        return isRefused && attempt.getNumber() > 1;
    }

    /**
     * The limit fires, on the thread of the timer. What is to be done is code of others: also to interrupt a thread,
     * which only the thread of a simulated time does itself, since that may have no other. Returns false if this has
     * ended.
     */
    final boolean timesOut() {
        if (!moves(timeout())) return false;
        if (!call.threads.retrier.isReal()) interrupts();
        call.threads.onHelper(this::cancel);
        call.threads.onHelper(call::resume);
        return true;
    }

    private StepEnd<T> timeout() {
        hasTimedOut = true;
        return new StepEnd<>(null, new AttemptTimeoutException(attempt.getNumber(), attempt.getLimitNanos()));
    }

    /** Interrupts the thread that does the work, and ends what it waits for; or cancels the work's stage. */
    @Override
    protected final void cancel() {
        try {
            if (interrupts()) call.cut(attempt);
            else if (running instanceof Future<?> future) future.cancel(true);
        } catch (Throwable e) {
            // A stage that only its maker may complete, or code of others that is broken: the result is discarded.
        }
    }

    /** Interrupts the work, if a thread does it. Returns whether this or another call of it did. */
    private boolean interrupts() {
        return running instanceof AttemptGuard guard && (guard.interrupt() || guard.hasFired());
    }

    @Override
    protected void late(T result) {
        call.discard(result);
    }
}
