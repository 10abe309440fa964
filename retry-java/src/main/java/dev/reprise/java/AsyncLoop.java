package dev.reprise.java;

import static dev.reprise.core.time.NanosKt.UNLIMITED_NANOS;

import dev.reprise.core.Attempt;
import dev.reprise.core.CallOptions;
import dev.reprise.core.call.NextStep;
import dev.reprise.core.call.ResultKind;
import dev.reprise.core.call.RetryCall;
import dev.reprise.core.call.Thrown;
import dev.reprise.coroutines.RetrierSetup;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;

/**
 * The asynchronous shell: one loop for all calls, which holds no thread while something is {@link Pending}. As long as
 * nothing is, the call needs no more than this loop's variables; its {@link AsyncCall} is made at the first step that
 * must be waited for, and the loop goes on with it later. {@code docs/research/shells.md} shows it beside the others.
 *
 * <p>An attempt that takes too long is cancelled on {@code canceller}, which is no thread that such an attempt may
 * hold; a call that has waited continues on {@code executor}; futures complete on {@code completion}, or, if that is
 * null, wherever the call's last step was.
 */
record AsyncLoop(JavaWaiter waiter, Executor canceller, Executor executor, Executor completion) {
    // Not simply CompletableFuture's default: on two cores or fewer that is a new thread for every task.
    static final Executor POOL = ForkJoinPool.getCommonPoolParallelism() > 0
            ? ForkJoinPool.commonPool()
            : new CompletableFuture<Void>().defaultExecutor();

    /** That of a user who said {@code executor}, or null for nothing. */
    static AsyncLoop of(JavaWaiter waiter, Executor executor) {
        Executor elsewhere = executor == null ? POOL : executor;
        return new AsyncLoop(waiter, elsewhere, elsewhere, executor);
    }

    /**
     * This, for attempts that run on {@code executor}: there the call goes on, and there its future completes. Such an
     * attempt is cancelled on the timer's thread, since that is an interrupt and none of the user's code: an executor
     * whose threads are all held by attempts that take too long would never come to it.
     */
    AsyncLoop on(Executor executor) {
        return new AsyncLoop(waiter, Runnable::run, executor, null);
    }

    /** Begins a call, and makes it if nothing has to be waited for. */
    <T, R> CompletableFuture<R> execute(
            RetrierSetup setup, CallOptions options, boolean asOutcome, AsyncAttempt<T> work) {
        Objects.requireNonNull(options, "options");
        Objects.requireNonNull(work, "work");
        ResultKind kind = work.releasesBeforeWait() ? ResultKind.CONNECTION : ResultKind.CLOSEABLE;
        RetryCall call;
        try {
            call = asOutcome ? setup.beginOutcome(options, kind) : setup.begin(options, kind);
        } catch (Throwable e) {
            // A clock or a source of deadlines. Whoever holds a future looks for failures there.
            return CompletableFuture.failedFuture(e);
        }
        CompletableFuture<R> future = drive(work, asOutcome, call, null);
        if (future instanceof AsyncCall<?, ?> later) later.endFirstTurn();
        return future;
    }

    /** Goes on with a call after what it had pending is over, or after its future was completed from outside. */
    <T, R> void goOn(AsyncCall<T, R> later) {
        drive(later.work, false, later.call, later);
    }

    /**
     * Does what {@code call} wants next, and reports back, until it is done or has something pending. {@code later} is
     * the call's future if it has had something pending before, else null.
     */
    @SuppressWarnings("unchecked")
    private <T, R> CompletableFuture<R> drive(
            AsyncAttempt<T> work, boolean asOutcome, RetryCall call, AsyncCall<T, R> later) {
        CompletableFuture<?> step = later == null ? null : later.pending();
        while (call.getNext() != NextStep.DONE) {
            try {
                if (step == null) {
                    if (call.getNext() == NextStep.DISCARD) {
                        discard(call, work);
                        continue;
                    }
                    if (call.getNext() == NextStep.WAIT) {
                        later = orNew(later, asOutcome, work);
                        if (later.mustWait(call)) return later;
                        continue;
                    }
                    if (later != null) later.checkWanted();
                    Attempt attempt = call.getNext() == NextStep.ATTEMPT ? call.attemptStarts() : null;
                    CompletionStage<T> stage = isUnlimited(attempt) ? start(work, attempt) : null;
                    if (hasEnded(stage)) {
                        step = (CompletableFuture<T>) stage;
                    } else {
                        later = orNew(later, asOutcome, work);
                        step = later.begin(call, attempt, stage);
                    }
                }
                if (later != null && later.mustAwait(call, step)) return later;
                CompletableFuture<?> ended = step;
                step = null;
                Throwable failure = failureOf(ended);
                if (call.getNext() == NextStep.PERMIT) {
                    permitEnded(call, ended, failure);
                } else if (failure != null) {
                    if (!work.mayRepeat()) call = call.forGood();
                    call = call.failed(failure, Thrown.meaningOf(failure));
                } else {
                    RetryCall next = call.completed(ended.join());
                    if (next == null) return end(call, (CompletableFuture<R>) ended, later);
                    call = next;
                }
            } catch (Throwable e) {
                step = null;
                call = call.broke(e);
            }
        }
        return end(call, resultOf(call), later);
    }

    @SuppressWarnings("unchecked")
    private static <T> void discard(RetryCall call, AsyncAttempt<T> work) {
        work.discard((T) call.rejected());
        call.discarded();
    }

    private <T, R> AsyncCall<T, R> orNew(AsyncCall<T, R> later, boolean asOutcome, AsyncAttempt<T> work) {
        return later == null ? new AsyncCall<>(this, asOutcome, work) : later;
    }

    /** Reports that the place in the line has {@code ended}. */
    private static void permitEnded(RetryCall call, CompletableFuture<?> ended, Throwable failure) throws Throwable {
        if (failure != null) throw failure;
        ((RetrierSetup) call.getSetup()).getLine().report((Long) ended.join(), call);
    }

    /** Starts an attempt; one that cannot be started has failed. */
    static <T> CompletionStage<T> start(AsyncAttempt<T> work, Attempt attempt) {
        try {
            return Objects.requireNonNull(work.start(attempt), "the attempt's stage is null");
        } catch (Throwable e) {
            return notStarted(e);
        }
    }

    /** What came of an attempt whose start threw {@code e}. Its interrupt, if it was one, stays with the thread. */
    private static <T> CompletableFuture<T> notStarted(Throwable e) {
        if (e instanceof InterruptedException) Thread.currentThread().interrupt();
        return CompletableFuture.failedFuture(e);
    }

    private static boolean isUnlimited(Attempt attempt) {
        return attempt != null && attempt.getTimeLeftNanos() == UNLIMITED_NANOS;
    }

    /** Whether this is a future of the plain kind, so that nothing is lost in handing it on, and has ended. */
    private static boolean hasEnded(CompletionStage<?> stage) {
        return stage != null && stage.getClass() == CompletableFuture.class && ((CompletableFuture<?>) stage).isDone();
    }

    /** What {@code ended} failed with, or null. To read it as a result is cheap; to have it thrown costs a wrapper. */
    private static Throwable failureOf(CompletableFuture<?> ended) {
        if (!ended.isCompletedExceptionally()) return null;
        return Throwables.withoutWrappers(
                ended.<Throwable>handle((result, failure) -> failure).join());
    }

    @SuppressWarnings("unchecked")
    private static <R> CompletableFuture<R> resultOf(RetryCall call) {
        Throwable failure = call.failure();
        return failure == null
                ? CompletableFuture.completedFuture((R) call.value())
                : CompletableFuture.failedFuture(failure);
    }

    private static <R> CompletableFuture<R> end(RetryCall call, CompletableFuture<R> result, AsyncCall<?, R> later) {
        if (later == null) return result;
        Throwable failure = failureOf(result);
        later.ends(call, failure == null ? result.join() : null, failure);
        return later;
    }
}
