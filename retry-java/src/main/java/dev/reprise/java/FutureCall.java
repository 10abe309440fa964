package dev.reprise.java;

import dev.reprise.core.Attempt;
import dev.reprise.core.CallOptions;
import dev.reprise.core.RetryOutcome;
import dev.reprise.core.shell.call.HedgeRace;
import dev.reprise.core.shell.call.ResultKind;
import dev.reprise.core.shell.call.RetryCall;
import dev.reprise.core.shell.call.ServedRequest;
import dev.reprise.core.shell.layers.AttemptScope;
import dev.reprise.core.shell.layers.Moments;
import dev.reprise.core.shell.layers.ThreadScope;
import dev.reprise.coroutines.RetrierSetup;
import dev.reprise.coroutines.shell.FutureWaits;
import dev.reprise.coroutines.shell.SendRateLine;
import dev.reprise.coroutines.shell.SendRateLines;
import dev.reprise.coroutines.shell.Step;
import dev.reprise.coroutines.shell.StepEnd;
import dev.reprise.coroutines.shell.TurnLoop;
import dev.reprise.java.internal.Elsewhere;
import dev.reprise.java.internal.EndableFuture;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * The asynchronous shell: a {@link TurnLoop} whose steps are stages, executions on an executor, and waits, and the
 * future that its caller holds. Whoever completes the future from outside ends the call.
 *
 * <p>No turn and no attempt runs on a timer's thread. A limit is carried out on a helper thread, whatever the executor
 * does; an attempt that follows it is the executor's.
 */
final class FutureCall<T, R> extends TurnLoop<T> {
    private final Discarding<T> work;
    final CallThreads threads;
    /** The moment at which the call was made. */
    final long madeAt;

    /** The request that the thread worked for which made this: so do later attempts. Null for none. */
    private final ServedRequest served = ServedRequest.current();

    /** What the caller holds; null when the call has ended, since work may not, and keep this. In a turn. */
    private Held<R> future = new Held<>(this);

    /** The interrupt of the thread that did the last attempt's work; null for none. In a turn. */
    private Throwable interrupt;

    private FutureCall(SharedRetrier retrier, Discarding<T> work, Executor own, long madeAt, RetryCall call) {
        super(call);
        this.madeAt = madeAt;
        this.work = work;
        threads = new CallThreads(retrier, own == null ? (AsyncAttempt<T>) work : null, own);
    }

    /** The future that the caller holds, perhaps for long: once the call has ended, it keeps nothing of it. */
    private static final class Held<R> extends EndableFuture<R> {
        private volatile FutureCall<?, R> call;

        Held(FutureCall<?, R> call) {
            this.call = call;
        }

        @Override
        protected void endedFromOutside() {
            FutureCall<?, R> call = this.call;
            if (call != null) call.resume();
        }
    }

    /**
     * Makes a call of {@code work}: on {@code own} if that is not null. A first attempt that ends at once and is
     * accepted needs no more than its own future, which is returned.
     */
    @SuppressWarnings("unchecked")
    static <T, R> CompletableFuture<R> start(
            SharedRetrier shared, CallOptions options, boolean asOutcome, Discarding<T> work, Executor own) {
        long madeAt = Moments.next();
        RetrierSetup setup = shared.retrier().getSetup();
        RetryCall call;
        try {
            ResultKind kind = work.releasesBeforeWait() ? ResultKind.CONNECTION : ResultKind.CLOSEABLE;
            call = setup.begin(options, kind, asOutcome);
        } catch (Throwable e) {
            // Code of others: a clock, a source of deadlines, the work. Whoever holds a future looks for failures
            // there.
            return failed(e);
        }
        CompletionStage<T> started = null;
        try {
            if (own == null && call.isPlain()) started = stageOf((AsyncAttempt<T>) work, call.attemptStarts());
            if (hasEnded(started)) {
                CompletableFuture<T> ended = (CompletableFuture<T>) started;
                Throwable failure = Throwables.withoutWrappers(FutureWaits.failureOf(ended));
                RetryCall next = report(call, failure == null ? ended.join() : null, failure, null, madeAt);
                if (next == null) return (CompletableFuture<R>) started;
                call = next;
                started = null;
            }
        } catch (Throwable e) {
            call = call.broke(e);
            started = null;
        }
        FutureCall<T, R> loop = new FutureCall<>(shared, work, own, madeAt, call);
        CompletableFuture<R> future = loop.future;
        if (started == null) {
            loop.resume();
        } else {
            Execution<T> first = new Execution<>(loop, null);
            loop.awaits(first);
            first.follow(started, madeAt);
        }
        loop.threads.made();
        return future;
    }

    private static <V> CompletableFuture<V> failed(Throwable failure) {
        CompletableFuture<V> future = new CompletableFuture<>();
        future.completeExceptionally(failure);
        return future;
    }

    /** Starts {@code attempt}; one that cannot be started has failed. */
    private static <T> CompletionStage<T> stageOf(AsyncAttempt<T> work, Attempt attempt) {
        try {
            return Objects.requireNonNull(work.start(attempt), "the attempt's stage is null");
        } catch (Throwable e) {
            // The interrupt, if it was one, stays with the thread.
            if (e instanceof InterruptedException) Thread.currentThread().interrupt();
            return failed(e);
        }
    }

    /** Whether {@code stage} is a future of the plain kind, so that nothing is lost by handing it on, and has ended. */
    private static boolean hasEnded(CompletionStage<?> stage) {
        return stage != null && stage.getClass() == CompletableFuture.class && ((CompletableFuture<?>) stage).isDone();
    }

    /**
     * Reports how the {@code attempt} of a call made at {@code madeAt} ended. Null for one that ended on the thread
     * that made the call, at once.
     */
    private static RetryCall report(
            RetryCall call, Object result, Throwable failure, Execution<?> attempt, long madeAt) {
        boolean isMarked = call.isMarked(failure == null ? result : failure);
        AttemptScope scope = isMarked ? scope(attempt, madeAt) : null;
        if (failure == null) return call.completed(result, null, scope);
        return call.failed(failure, Throwables.meaningOf(failure), null, scope);
    }

    private static AttemptScope scope(Execution<?> attempt, long madeAt) {
        return attempt == null ? new ThreadScope(madeAt, madeAt, Moments.now()) : attempt.scope(madeAt);
    }

    // The steps

    @Override
    protected Throwable interference() {
        return future.isDone() ? new CancellationException("the future was completed from outside") : interrupt;
    }

    @Override
    protected void afterWait(Runnable task) {
        // Not here at first: the executor of a simulated time may run its tasks on the thread that submits them.
        Elsewhere.run(() -> threads.onHelper(task));
    }

    @Override
    protected Step<?> time(long nanos) {
        return Wait.ofTime(this, nanos);
    }

    @Override
    protected Step<Long> permit(SendRateLine line) {
        CompletableFuture<Long> place = SendRateLines.acquireAsync(line, getCall());
        if (!place.isDone()) return Wait.ofPermit(this, line, place);
        Step<Long> permit = new Step<>(this) {};
        Throwable failure = FutureWaits.failureOf(place);
        permit.ends(failure == null ? place.join() : null, failure);
        return permit;
    }

    @Override
    @SuppressWarnings("unchecked")
    protected Step<?> discarding(Object result) {
        work.discard((T) result);
        return null;
    }

    @Override
    protected Step<T> attempt() {
        Attempt attempt = getCall().attemptStarts();
        HedgeRace race = getCall().race();
        return race == null || !work.mayRunTwice() ? new Execution<>(this, attempt) : new Race<>(this, attempt, race);
    }

    @Override
    protected boolean mayRepeat() {
        return work.mayRepeat();
    }

    @Override
    protected RetryCall report(Step<T> attempt, StepEnd<T> end) {
        Execution<T> execution = (Execution<T>) attempt.getFirst();
        if (execution.isWithdrawn()) {
            getCall().withdrawn();
            throw Throwables.<RuntimeException>rethrow(end.failure);
        }
        if (execution.isInterrupted) interrupt = new CallInterruptedException(end.failure);
        return report(getCall(), end.value, end.failure, execution, madeAt);
    }

    // An attempt

    /** The stage of {@code attempt}, started on this thread. */
    CompletionStage<T> stageOf(Attempt attempt) {
        return Throwables.serving(served, () -> stageOf((AsyncAttempt<T>) work, attempt));
    }

    /** The result of {@code attempt}, made on this thread. */
    @SuppressWarnings("unchecked")
    T resultOf(Attempt attempt) throws Throwable {
        return Throwables.serving(served, () -> ((BlockingAttempt<T, ?>) work).make(attempt));
    }

    void cut(Attempt attempt) {
        ((BlockingAttempt<?, ?>) work).cut(attempt);
    }

    /** Closes a {@code result} that came too late, or of an execution that lost. */
    void discard(T result) {
        Throwables.discard(work, result, null);
    }

    // The end

    @Override
    @SuppressWarnings("unchecked")
    protected void accepted(T result) {
        Held<R> future = released();
        threads.deliver(() -> {
            if (!future.arrives((R) result)) discard(result);
        });
    }

    private Held<R> released() {
        Held<R> ended = future;
        ended.call = null;
        future = null;
        return ended;
    }

    /** If the future is complete already, a result that is in the call's end is discarded. */
    @Override
    @SuppressWarnings("unchecked")
    protected void ended(RetryCall call) {
        call.madeIn(new ThreadScope(madeAt, 0, 0));
        Throwable failure = call.failure();
        R value = failure == null ? (R) call.value() : null;
        Held<R> future = released();
        threads.deliver(() -> {
            if (failure == null ? future.arrives(value) : future.fails(failure)) return;
            RetryOutcome<?> outcome = call.outcome();
            if (outcome instanceof RetryOutcome.Success<?> good) discard((T) good.getValue());
            if (outcome instanceof RetryOutcome.BadResult<?> bad) discard((T) bad.getValue());
        });
    }
}
