package dev.reprise.java;

import static dev.reprise.core.shell.time.NanosKt.UNLIMITED_NANOS;

import dev.reprise.core.Attempt;
import dev.reprise.core.AttemptTimeoutException;
import dev.reprise.core.CallOptions;
import dev.reprise.core.RetryOutcome;
import dev.reprise.core.shell.call.HedgeRace;
import dev.reprise.core.shell.call.NextStep;
import dev.reprise.core.shell.call.ResultKind;
import dev.reprise.core.shell.call.RetryCall;
import dev.reprise.coroutines.FutureWaits;
import dev.reprise.coroutines.RetrierSetup;
import dev.reprise.coroutines.SendRateLine;
import dev.reprise.coroutines.SendRateLines;
import dev.reprise.java.internal.EndableFuture;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Supplier;

/**
 * The asynchronous shell: a call, its loop, and the future that its caller holds. It holds no thread while a step is
 * {@link Pending}. {@code docs/research/shells.md} shows the loop beside the others.
 *
 * <p>The loop runs in turns. Many threads may {@link #resume} it; one turn runs at a time and never inside another, so
 * that the stack does not grow. What follows a {@link Wait} is done in a turn of the executor. Whoever completes the
 * future from outside ends the call.
 */
final class FutureCall<T, R> extends EndableFuture<R> {
    @SuppressWarnings("rawtypes")
    private static final AtomicIntegerFieldUpdater<FutureCall> TURNS =
            AtomicIntegerFieldUpdater.newUpdater(FutureCall.class, "turns");

    private static final String BLOCKED_START = "an attempt timeout could not end an attempt whose work blocked its "
            + "thread before it returned a stage: start the work and return, or give it to an executor";

    private final AsyncSettings settings;
    private final Discarding<T> work;
    private final AsyncAttempt<T> starter;

    // Used by the thread whose turn it is.
    /** The call to report to, until it has ended. */
    private RetryCall call;
    /** The step under way, or null. */
    private Pending<?> pending;
    /** The stage of a first attempt that began before this was made; null for none. */
    private CompletionStage<T> started;
    /** Whether the executor runs the turn. */
    private boolean isElsewhere;
    /** What the thread of the turn is to do once others may take one, or null. */
    private Runnable afterTurn;

    /** The execution that is being given to an executor, which may run it within the turn; else null. */
    private volatile Pending<T> starting;

    /** How many turns are wanted, with the one that runs. The first is the maker's; the last one stays for ever. */
    private volatile int turns = 1;

    /** The exception that ends the call, if something broke outside of the loop. */
    private volatile Throwable broken;

    private FutureCall(
            AsyncSettings settings,
            Discarding<T> work,
            AsyncAttempt<T> starter,
            RetryCall call,
            CompletionStage<T> started) {
        this.settings = settings;
        this.work = work;
        this.starter = starter;
        this.call = call;
        this.started = started;
    }

    /**
     * Makes a call of {@code work}, whose attempts {@code starter} starts: nothing else of that is asked. A first
     * attempt that ends at once and is accepted needs no more than its own future, which is returned.
     */
    @SuppressWarnings("unchecked")
    static <T, R> CompletableFuture<R> start(
            AsyncSettings settings,
            RetrierSetup setup,
            CallOptions options,
            boolean asOutcome,
            Discarding<T> work,
            AsyncAttempt<T> starter) {
        RetryCall call;
        try {
            ResultKind kind = work.releasesBeforeWait() ? ResultKind.CONNECTION : ResultKind.CLOSEABLE;
            call = setup.begin(options, kind, asOutcome);
        } catch (Throwable e) {
            // Code of others: a clock, a source of deadlines, the work. Whoever holds a future looks for failures
            // there.
            return CompletableFuture.failedFuture(e);
        }
        CompletionStage<T> started = null;
        Throwable broken = null;
        try {
            if (call.isPlain()) started = stageOf(starter, call.attemptStarts());
            if (hasEnded(started)) {
                RetryCall next = report((CompletableFuture<T>) started, call, work);
                if (next == null) return (CompletableFuture<R>) started;
                call = next;
                started = null;
            }
        } catch (Throwable e) {
            broken = e;
            started = null;
        }
        FutureCall<T, R> future = new FutureCall<>(settings, work, starter, call, started);
        if (broken != null) future.broken = broken;
        future.takeTurns(false);
        return future;
    }

    /** Does what the call wants next, and reports back, until it is done or has to wait. Returns whether it is done. */
    @SuppressWarnings("unchecked")
    private boolean turn() {
        CompletableFuture<T> accepted = null;
        while (accepted == null && call.getNext() != NextStep.DONE) {
            try {
                switch (call.getNext()) {
                    case WAIT -> {
                        if (ended(() -> time(call.getDelayNanos())) == null) return false;
                        call.waited();
                    }
                    case PERMIT -> {
                        CompletableFuture<Long> permit = ended(this::pendingPermit);
                        if (permit == null) return false;
                        Throwable failure = failureOf(permit);
                        if (failure != null) throw failure;
                        line().report(permit.join(), call);
                    }
                    case DISCARD -> {
                        work.discard((T) call.rejected());
                        call.discarded();
                    }
                    case ATTEMPT -> {
                        CompletableFuture<T> attempt = ended(this::attempt);
                        if (attempt == null) return false;
                        RetryCall next = report(attempt, call, work);
                        if (next == null) accepted = attempt;
                        else call = next;
                    }
                }
            } catch (Throwable e) {
                pending = null;
                call = call.broke(e);
            }
        }
        if (accepted == null) ends();
        else endsWith(accepted.join());
        return true;
    }

    /**
     * Returns the step under way once it has ended, or null if the call has to wait for it. Without one, {@code begin}
     * begins it. Throws what keeps the call from going on.
     */
    @SuppressWarnings("unchecked")
    private <V> CompletableFuture<V> ended(Supplier<CompletableFuture<V>> begin) throws Throwable {
        if (pending == null) {
            Throwable interference = interference();
            if (interference != null) throw interference;
            CompletableFuture<V> step = begin.get();
            // A step that had ended when it began.
            if (!(step instanceof Pending<V> begun)) return step;
            pending = begun;
        }
        pending.progress();
        if (!pending.isDone()) {
            Throwable interference = interference();
            if (interference == null) return null;
            if (pending.abandon()) throw interference;
        }
        if (!isElsewhere && pending.goesOnElsewhere()) return null;
        CompletableFuture<V> step = (CompletableFuture<V>) pending;
        pending.close();
        pending = null;
        return step;
    }

    /** Why the call does not go on: its future was completed from outside, or an executor refused it. Else null. */
    private Throwable interference() {
        return isDone() ? new CancellationException("the future was completed from outside") : broken;
    }

    /** A wait of {@code nanos} ns, begun. */
    Pending<Void> time(long nanos) {
        return timed(new Wait<>(this, nothing -> {}), nanos);
    }

    /** {@code wait}, which ends after {@code nanos} ns, begun. */
    Wait<Void> timed(Wait<Void> wait, long nanos) {
        wait.after(nanos, settings.waiter(), wait);
        return wait;
    }

    private CompletableFuture<Long> pendingPermit() {
        SendRateLine line = line();
        CompletableFuture<Long> place = SendRateLines.acquireAsync(line, call);
        if (place.isDone()) return place;
        Pending<Long> permit = new Wait<>(this, waited -> SendRateLines.giveBack(line, waited));
        permit.endWith(place);
        return permit;
    }

    private SendRateLine line() {
        return ((RetrierSetup) call.getSetup()).getLine();
    }

    @SuppressWarnings("unchecked")
    private CompletableFuture<T> attempt() {
        CompletionStage<T> stage = started;
        started = null;
        if (stage == null) {
            Attempt attempt = call.attemptStarts();
            HedgeRace race = call.race();
            if (race != null && work.mayRunTwice()) return pendingRace(attempt, race);
            if (attempt.getTimeLeftNanos() != UNLIMITED_NANOS) return limitedAttempt(attempt);
            stage = stageOf(starter, attempt);
            if (hasEnded(stage)) return (CompletableFuture<T>) stage;
        }
        Pending<T> pending = new Pending<>(this, this::discard);
        pending.endWith(stage);
        starts(pending);
        return pending;
    }

    /** Starts {@code attempt}, and waits for it for no longer than its limit. */
    private Pending<T> limitedAttempt(Attempt attempt) {
        Pending<T> pending = new Pending<>(this, this::discard);
        if (!limits(pending, attempt)) return pending;
        CompletionStage<T> stage = stageOf(starter, attempt);
        boolean isLate = pending.isDone();
        pending.endWith(stage);
        if (!starts(pending) && isLate) call.getSetup().warn(BLOCKED_START);
        return pending;
    }

    /** Waits for the {@code race} of two executions of {@code attempt}, for no longer than its limit. */
    private Pending<T> pendingRace(Attempt attempt, HedgeRace race) {
        Race<T> pending = new Race<>(race, attempt, this);
        if (limits(pending, attempt)) pending.start();
        return pending;
    }

    /** Ends {@code pending} once {@code attempt} has no time left. Returns whether it has any. */
    private boolean limits(Pending<T> pending, Attempt attempt) {
        long limit = attempt.getTimeLeftNanos();
        int number = attempt.getNumber();
        if (limit == 0) pending.completeExceptionally(new AttemptTimeoutException(number, limit));
        else if (limit != UNLIMITED_NANOS)
            pending.after(limit, settings.waiter(), () -> timesOut(pending, number, limit));
        return limit != 0;
    }

    /**
     * Starts {@code execution} if it is an executor's, and returns whether it is. The executor may run it before it
     * returns: whoever completes the future meanwhile finds it in {@link #starting}, or is found here.
     */
    boolean starts(Pending<T> execution) {
        ExecutorAttempt<T> task = execution.task();
        if (task == null) return false;
        starting = execution;
        if (isDone()) execution.cancelStage();
        task.start();
        starting = null;
        return true;
    }

    /** {@link #starts} {@code execution} in a turn of the executor, whose thread runs it after the turn. */
    void startsHere(Pending<T> execution) {
        afterTurn = execution.task();
    }

    /** Closes a {@code result} that came too late, or of an execution that lost. */
    void discard(T result) {
        Throwables.discard(work, result, null);
    }

    /**
     * The limit of {@code attempt}, in ns, fires. A stage is users' code, and cancelled on the executor. An attempt on
     * the executor is interrupted at once: such attempts may hold all of the executor's threads.
     */
    private void timesOut(Pending<T> attempt, int number, long limit) {
        if (!attempt.completeExceptionally(new AttemptTimeoutException(number, limit))) return;
        if (attempt.isOnExecutor()) attempt.cancelStage();
        elsewhere(() -> {
            if (!attempt.isOnExecutor()) attempt.cancelStage();
            resume(true);
        });
    }

    /** An execution of {@code attempt}, for a race. What an executor is to run is not started. */
    CompletionStage<T> stageOf(Attempt attempt) {
        return stageOf(starter, attempt);
    }

    /** Starts {@code attempt}; one that cannot be started has failed. */
    private static <T> CompletionStage<T> stageOf(AsyncAttempt<T> starter, Attempt attempt) {
        try {
            return Objects.requireNonNull(starter.start(attempt), "the attempt's stage is null");
        } catch (Throwable e) {
            // The interrupt, if it was one, stays with the thread.
            if (e instanceof InterruptedException) Thread.currentThread().interrupt();
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Whether {@code stage} is a future of the plain kind, so that nothing is lost by handing it on, and has ended. */
    private static boolean hasEnded(CompletionStage<?> stage) {
        return stage != null && stage.getClass() == CompletableFuture.class && ((CompletableFuture<?>) stage).isDone();
    }

    /** Reports an {@code attempt} that has ended. Returns the call to go on with; null if the result is accepted. */
    private static <T> RetryCall report(CompletableFuture<T> attempt, RetryCall call, Discarding<T> work) {
        Throwable failure = failureOf(attempt);
        if (failure == null) return call.completed(attempt.join(), work, null);
        return call.failed(failure, Throwables.meaningOf(failure), work, null);
    }

    /** The failure of {@code ended}, or null: of a step as it is, of a user's stage without the wrappers of futures. */
    static Throwable failureOf(CompletableFuture<?> ended) {
        Throwable failure = FutureWaits.failureOf(ended);
        return ended instanceof Pending ? failure : Throwables.withoutWrappers(failure);
    }

    /** The call ends with {@code result}, which is accepted. If the future is complete already, it is discarded. */
    @SuppressWarnings("unchecked")
    private void endsWith(T result) {
        deliver(() -> {
            if (!arrives((R) result)) discard(result);
        });
    }

    /** The call ends as it says. If the future is complete already, a result that is in that end is discarded. */
    @SuppressWarnings("unchecked")
    private void ends() {
        RetryCall ended = call;
        Throwable failure = ended.failure();
        R value = failure == null ? (R) ended.value() : null;
        deliver(() -> {
            if (failure == null ? arrives(value) : fails(failure)) return;
            RetryOutcome<?> outcome = ended.outcome();
            if (outcome instanceof RetryOutcome.Success<?> good) discard((T) good.getValue());
            if (outcome instanceof RetryOutcome.BadResult<?> bad) discard((T) bad.getValue());
        });
    }

    private void deliver(Runnable delivery) {
        // The future may be kept for long; the call need not be.
        call = null;
        if (settings.completion() == null) {
            delivery.run();
            return;
        }
        Throwable refusal = offer(delivery, settings.completion());
        if (refusal != null) breaksWith(refusal, delivery);
    }

    @Override
    protected void endedFromOutside() {
        resume(false);
        Pending<T> execution = starting;
        if (execution != null) execution.cancelStage();
    }

    /**
     * Takes a turn, here or on the thread whose turn it is: something has happened. {@code isElsewhere} tells whether
     * this is the executor.
     */
    void resume(boolean isElsewhere) {
        if (TURNS.getAndIncrement(this) == 0) takeTurns(isElsewhere);
    }

    private void takeTurns(boolean isElsewhere) {
        Runnable after = null;
        this.isElsewhere = isElsewhere;
        do {
            if (!isElsewhere && pending != null && pending.goesOnElsewhere() && givesTurn()) return;
            boolean isOver = turn();
            if (afterTurn != null) after = afterTurn;
            afterTurn = null;
            if (isOver) break;
        } while (TURNS.decrementAndGet(this) != 0);
        if (after != null) after.run();
    }

    /**
     * Gives the turn to the executor, or to the common pool if the executor would take it on this thread at once.
     * Returns false if the executor refuses it and the step under way goes on without.
     */
    private boolean givesTurn() {
        Thread here = Thread.currentThread();
        AtomicBoolean isGiven = new AtomicBoolean();
        Runnable turn = () -> {
            if (!isGiven.get() && Thread.currentThread() == here)
                AsyncSettings.pool().execute(() -> takeTurns(true));
            else takeTurns(true);
        };
        Throwable refusal = offer(turn);
        if (refusal != null && pending.goesOnWithout()) return false;
        if (refusal != null) breaksWith(refusal, turn);
        isGiven.set(true);
        return true;
    }

    /** Whether the executor runs the turn; asked in a turn. */
    boolean isElsewhere() {
        return isElsewhere;
    }

    /** Runs {@code task} on the executor, or in the common pool if the executor would use the thread of all timers. */
    void elsewhere(Runnable task) {
        Throwable refusal = offer(task);
        if (refusal != null) breaksWith(refusal, task);
    }

    /**
     * As {@link #elsewhere}; but an executor that refuses {@code task} does not run it, and breaks nothing. Returns why
     * it refused, or why there is none to ask; else null.
     */
    Throwable offer(Runnable task) {
        Runnable offTimer = () -> {
            if (SystemWaiter.isTimer(Thread.currentThread()))
                AsyncSettings.pool().execute(task);
            else task.run();
        };
        Executor own;
        try {
            own = starter.executor();
        } catch (Throwable e) {
            return e;
        }
        return offer(offTimer, own == null ? settings.executor() : own);
    }

    /** The executor refused {@code task}, which the common pool runs in its place. The call breaks. */
    private void breaksWith(Throwable refusal, Runnable task) {
        broken = refusal;
        AsyncSettings.pool().execute(task);
    }

    /**
     * Runs {@code task} once, on {@code executor}, unless that refuses it: returns why. One that throws after it has
     * begun the task changes nothing.
     */
    private static Throwable offer(Runnable task, Executor executor) {
        AtomicBoolean hasBegun = new AtomicBoolean();
        try {
            executor.execute(() -> {
                if (hasBegun.compareAndSet(false, true)) task.run();
            });
            return null;
        } catch (Throwable e) {
            return hasBegun.compareAndSet(false, true) ? e : null;
        }
    }
}
