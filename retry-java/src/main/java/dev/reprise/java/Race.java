package dev.reprise.java;

import dev.reprise.core.Attempt;
import dev.reprise.core.shell.call.HedgeRace;

/**
 * A first attempt that may have a copy, as a step that a {@link FutureCall} waits for. Each execution, and the delay
 * before the copy, resumes the call, and the race continues in its turns. It ends with the outcome of the winner.
 */
final class Race<T> extends Pending<T> {
    private final HedgeRace race;
    private final Attempt attempt;
    private final FutureCall<T, ?> call;

    // Written in a turn of the call; read by the timer of the attempt.
    private volatile Pending<T> first;
    private volatile Pending<T> copy;

    // Used in turns of the call.
    private boolean hasFirstEnded;
    private boolean hasCopyEnded;
    private boolean isClosed;
    /** The time before the copy; null if that is no longer to come. */
    private Pending<Void> delay;

    Race(HedgeRace race, Attempt attempt, FutureCall<T, ?> call) {
        super(call, result -> {});
        this.race = race;
        this.attempt = attempt;
        this.call = call;
    }

    /** Starts the first execution, and the time after which a copy follows. If it throws, nothing is left running. */
    void start() {
        first = execution(attempt);
        // The limit either finds the execution, or is found here.
        if (isDone()) first.cancelStage();
        call.starts(first);
        // Ended at once: there is nothing to overtake.
        if (first.isDone()) return;
        try {
            delay = call.timed(new CopyDelay(call), race.getDelayNanos());
        } catch (Throwable e) {
            // Code of others: a timer.
            abandon();
            throw e;
        }
    }

    private Pending<T> execution(Attempt attempt) {
        Pending<T> execution = new Execution();
        execution.endWith(call.stageOf(attempt));
        return execution;
    }

    @Override
    boolean goesOnElsewhere() {
        return !isDone() && delay != null && delay.isDone();
    }

    /** An executor that takes no turn for the copy leaves the first execution alone. */
    @Override
    boolean goesOnWithout() {
        delay = null;
        return true;
    }

    @Override
    void progress() {
        if (isDone()) return;
        try {
            boolean isOver = !hasFirstEnded && first.isDone() && ended(first, false);
            if (!isOver && copy != null && !hasCopyEnded && copy.isDone()) isOver = ended(copy, true);
            if (!isOver && goesOnElsewhere() && call.isElsewhere()) {
                delay = null;
                Attempt second = race.copyStarts();
                if (second != null) {
                    copy = execution(second);
                    call.startsHere(copy);
                }
            }
        } catch (Throwable e) {
            // Code of others: a clock, a listener. It ends the attempt.
            completeExceptionally(e);
        }
    }

    /** Reports that {@code execution} has ended. If the race is over, ends with the winner's outcome. */
    private boolean ended(Pending<T> execution, boolean isCopy) {
        if (isCopy) hasCopyEnded = true;
        else hasFirstEnded = true;
        Throwable failure = FutureCall.failureOf(execution);
        boolean isOver = failure == null
                ? race.returned(isCopy, execution.join())
                : race.threw(isCopy, failure, Throwables.meaningOf(failure), null);
        if (!isOver) return false;
        Pending<T> winner = race.getHasCopyWon() ? copy : first;
        Throwable outcome = FutureCall.failureOf(winner);
        boolean isMine = outcome == null ? complete(winner.join()) : completeExceptionally(outcome);
        if (isMine) close(winner);
        return true;
    }

    @Override
    void close() {
        close(null);
    }

    /** Ends all executions but {@code winner}; a result that one of them has given is discarded. */
    private void close(Pending<T> winner) {
        if (isClosed) return;
        isClosed = true;
        stopTimer();
        if (delay != null) delay.abandon();
        if (first != winner) lose(first);
        if (copy != winner) lose(copy);
    }

    private void lose(Pending<T> execution) {
        if (execution == null || execution.abandon()) return;
        if (FutureCall.failureOf(execution) == null) call.discard(execution.join());
    }

    @Override
    boolean isOnExecutor() {
        return first != null && first.isOnExecutor();
    }

    @Override
    void cancelStage() {
        if (first != null) first.cancelStage();
        if (copy != null) copy.cancelStage();
    }

    /**
     * One of the two. Once the race is over, it resumes nothing: whoever ended the race does so. That may be the timer
     * of the attempt, which cancels this on its own thread, where no code of others must run.
     */
    private final class Execution extends Pending<T> {
        Execution() {
            super(Race.this.call, Race.this.call::discard);
        }

        @Override
        void resume(boolean isElsewhere) {
            if (!Race.this.isDone()) super.resume(isElsewhere);
        }
    }

    /** The time before the copy. Where the executor does not go on after it there is no copy. */
    private static final class CopyDelay extends Wait<Void> {
        CopyDelay(FutureCall<?, ?> call) {
            super(call, nothing -> {});
        }

        @Override
        public Void apply(Void nothing, Throwable failure) {
            endElsewhereIfTaken(nothing, failure);
            return null;
        }
    }
}
