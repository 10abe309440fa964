package dev.reprise.java;

import static dev.reprise.core.backoff.NanosKt.UNLIMITED_NANOS;

import dev.reprise.core.Attempt;
import dev.reprise.core.AttemptTimeoutException;
import dev.reprise.core.CallOptions;
import dev.reprise.core.CallSetup;
import dev.reprise.core.RetryCall;
import dev.reprise.coroutines.SendRateLines;
import dev.reprise.java.Pending.Kind;
import dev.reprise.java.Pending.Outcome;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;

/**
 * The asynchronous shell: one call, which holds no thread while an attempt or a wait is {@link Pending}. {@link #goOn}
 * and {@link #next} are the loop in full, with the steps of the suspend shell in the same order; they follow it here.
 *
 * <p>Whatever is over {@link #resume}s the loop. It runs on one thread at a time and never inside itself: what ends
 * while it runs is found when it goes round, so that the stack does not grow.
 */
final class AsyncLoop<T, R> extends SerialLoop {
    final RetryFuture<R> future = new RetryFuture<>(this);
    private final AsyncSettings settings;
    private final CallSetup setup;
    private final CallOptions options;
    private final AsyncAttempt<T> work;
    private final Function<RetryCall, R> ending;

    // Of the thread whose turn it is.
    private RetryCall call;
    private Pending<T> pending;
    private T last;
    private boolean hasEnded;

    AsyncLoop(
            AsyncSettings settings,
            CallSetup setup,
            CallOptions options,
            AsyncAttempt<T> work,
            Function<RetryCall, R> ending) {
        this.settings = settings;
        this.setup = setup;
        this.options = options;
        this.work = work;
        this.ending = ending;
    }

    /** Begins with a call that has begun. */
    CompletableFuture<R> begin(RetryCall call) {
        return beginWait(call, null);
    }

    /**
     * Begins with a call that has begun and wants to wait; {@code last} is what its last attempt gave, if it is over.
     */
    CompletableFuture<R> beginWait(RetryCall call, T last) {
        this.call = call;
        this.last = call.isOver() ? last : null;
        pending = new Pending<>(Kind.START, this);
        pending.end(null, null);
        return future;
    }

    /** Begins with an attempt that was made, the first of a call that nobody looked on if {@code call} is null. */
    CompletableFuture<R> begin(RetryCall call, CompletionStage<T> attempt) {
        this.call = call;
        pending = new Pending<>(Kind.ATTEMPT, this);
        pending.endWith(attempt);
        return future;
    }

    /** Resumes on the executor: the thread that says so is not one to run users' code on. */
    void resumeElsewhere() {
        run(this::resume, settings.executor());
    }

    /** Cancels an attempt that has timed out, then resumes as {@link #resumeElsewhere} does. */
    void resumeAfter(Runnable cancellation) {
        run(
                () -> {
                    cancellation.run();
                    resumeElsewhere();
                },
                settings.canceller());
    }

    private void run(Runnable task, Executor executor) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException e) {
            future.completeExceptionally(e);
        }
    }

    /** Hands back a result that came too late. */
    void discard(T result) {
        work.discard(result);
    }

    /** Goes round until something is under way, or the call has ended. */
    @Override
    void goOn() {
        while (!hasEnded) {
            if (future.isDone()) {
                abandon(null);
                return;
            }
            Outcome outcome = pending.outcome();
            if (outcome == null) return;
            if (pending.kind == Kind.ATTEMPT && !judge(outcome)) return;
            if (pending.kind == Kind.PERMIT) queued(outcome);
            pending = next(pending.kind);
        }
    }

    /** The step after one of {@code kind}: waits, ends, or makes an attempt. */
    private Pending<T> next(Kind kind) {
        if (call.getDelayNanos() > 0 && (kind == Kind.ATTEMPT || kind == Kind.START)) return delay();
        if (kind != Kind.PERMIT && Steps.mustQueue(settings.retrier(), call)) return queue();
        if (call.isOver()) return end();
        call.attemptStarts();
        return attempt();
    }

    private Pending<T> delay() {
        Pending<T> delay = new Pending<>(Kind.DELAY, this);
        delay.endAfter(call.getDelayNanos(), settings.waiter());
        return delay;
    }

    private Pending<T> queue() {
        Pending<T> permit = new Pending<>(Kind.PERMIT, this);
        permit.endWithPermit(SendRateLines.acquireAsync(
                settings.retrier().getLine(), setup.getPolicy().getOnNoPermit(), call.getDeadlineAt()));
        return permit;
    }

    private void queued(Outcome outcome) {
        if (outcome.failure() != null) throw Steps.<RuntimeException>rethrow(outcome.failure());
        Steps.queued(call, (Long) outcome.result());
    }

    /** One attempt, for no longer than the policy lets it. */
    private Pending<T> attempt() {
        Pending<T> attempt = new Pending<>(Kind.ATTEMPT, this);
        long limit = call.getTimeLeftNanos();
        if (limit == 0) {
            attempt.end(null, new AttemptTimeoutException(call.getNumber(), limit));
            return attempt;
        }
        if (limit != UNLIMITED_NANOS) attempt.limit(call.getNumber(), limit, settings.waiter());
        try {
            attempt.endWith(start(work, call));
        } catch (Throwable e) {
            attempt.end(null, e);
        }
        return attempt;
    }

    /** Starts an attempt; the interrupt of one that was interrupted in doing so stays with the thread. */
    static <T> CompletionStage<T> start(AsyncAttempt<T> work, Attempt attempt) throws Exception {
        try {
            return Objects.requireNonNull(work.start(attempt), "the attempt's stage is null");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw e;
        }
    }

    /**
     * What the end of an attempt means: the call is over, or another attempt follows. Makes the call if there is none
     * yet. Answers false if the call ends at once, by cancellation or with a first attempt that needs no call.
     */
    @SuppressWarnings("unchecked")
    private boolean judge(Outcome outcome) {
        Throwable failure = withoutWrappers(outcome.failure());
        T result = (T) outcome.result();
        last = result;
        if (Steps.isCancellation(failure)) {
            if (call != null) call.cancelled();
            complete(null, failure);
            return false;
        }
        if (call == null) {
            if (failure == null && setup.acceptsFirst(result)) {
                complete((R) result, null);
                return false;
            }
            call = new RetryCall(setup, options);
        }
        if (failure == null) call.completed(result);
        else call.failed(failure);
        if (!call.isOver() && failure == null) {
            last = null;
            work.discard(result);
        }
        return true;
    }

    /** What failed, without what futures wrap it in. */
    static Throwable withoutWrappers(Throwable failure) {
        Throwable inner = failure;
        while (inner instanceof CompletionException || inner instanceof ExecutionException) {
            if (inner.getCause() == null) return inner;
            inner = inner.getCause();
        }
        return inner;
    }

    private Pending<T> end() {
        R result = null;
        Throwable failure = null;
        try {
            result = ending.apply(call);
        } catch (Throwable e) {
            failure = e;
        }
        complete(result, failure);
        return null;
    }

    private void complete(R result, Throwable failure) {
        hasEnded = true;
        Executor executor = settings.completion();
        if (executor == null) {
            tell(result, failure);
            return;
        }
        try {
            executor.execute(() -> tell(result, failure));
        } catch (RejectedExecutionException e) {
            tell(result, failure);
        }
    }

    private void tell(R result, Throwable failure) {
        if (!future.end(result, failure) && last != null) work.discard(last);
    }

    /**
     * The call ends before its time: somebody else has completed the future, or {@code failure} says why it cannot go
     * on.
     */
    @Override
    void abandon(Throwable failure) {
        hasEnded = true;
        if (pending != null) dropPending();
        if (call != null) call.cancelled();
        if (failure != null) complete(null, failure);
    }

    @SuppressWarnings("unchecked")
    private void dropPending() {
        Outcome outcome = pending.outcome();
        pending.callOff();
        boolean hasResult = pending.kind == Kind.ATTEMPT && outcome != null && outcome.failure() == null;
        if (hasResult) work.discard((T) outcome.result());
    }
}
