package dev.reprise.java;

import dev.reprise.core.Attempt;
import dev.reprise.core.AttemptTimeoutException;
import dev.reprise.core.shell.call.HedgeRace;
import dev.reprise.coroutines.shell.Step;
import dev.reprise.coroutines.shell.StepEnd;
import java.time.Duration;

/**
 * A first attempt that may have a copy: a step of two executions, which goes on in turns of the call, and ends as the
 * winner did. The first begins as any attempt does. The copy follows a task of the call's executor: one that does not
 * take it leaves the first alone.
 */
final class Race<T> extends Step<T> {
    private final FutureCall<T, ?> call;
    private final Attempt attempt;
    private final First first;
    private final long delayNanos;
    private volatile boolean isCopyDue;

    // In a turn. The execution that was heard has ended and waits for the other.
    private HedgeRace race;
    private Execution<T> copy;
    private Execution<T> heard;

    Race(FutureCall<T, ?> call, Attempt attempt, HedgeRace race) {
        super(call);
        this.call = call;
        this.attempt = attempt;
        this.race = race;
        delayNanos = race.getDelayNanos();
        first = new First(attempt);
    }

    @Override
    public Execution<T> getFirst() {
        return first;
    }

    @Override
    public Step<T> goesOn() {
        hears(first);
        hears(copy);
        if (getEnd() != null || !isCopyDue) return null;
        isCopyDue = false;
        Attempt second = race.copyStarts();
        // With the time that the attempt has left: its limit holds for each execution, also once the other has ended.
        if (second != null) copy = new Execution<>(call, second);
        return copy;
    }

    /** Reports the end of {@code execution}, if it has ended and the race has not. */
    private void hears(Execution<T> execution) {
        StepEnd<T> end = execution == null || execution == heard || getEnd() != null ? null : execution.getEnd();
        if (end == null) return;
        heard = execution;
        boolean isCopy = execution != first;
        try {
            boolean isLimit = execution.hasTimedOut && end.failure instanceof AttemptTimeoutException;
            if (!isLimit && !Throwables.endsRace(race, isCopy, end, execution.isRefused, execution.scope(call.madeAt)))
                return;
            isOver(isLimit ? limitFired() : (race.getHasCopyWon() ? copy : first).getEnd());
        } catch (Throwable e) {
            // Code of others: a clock, a listener. It ends the attempt.
            isOver(new StepEnd<>(null, e));
        }
    }

    /** The end by the limit of the attempt, whichever execution that has ended. */
    private StepEnd<T> limitFired() {
        return new StepEnd<>(null, new AttemptTimeoutException(attempt.getNumber(), attempt.getLimitNanos()));
    }

    /** Ends with {@code outcome}, if it has not ended, and drops each execution that did not come to that. */
    private void isOver(StepEnd<T> outcome) {
        moves(outcome);
        if (first.getEnd() != outcome) drops(first);
        if (copy != null && copy.getEnd() != outcome) drops(copy);
        // The work of an execution keeps that, and no other's result.
        race = null;
        copy = null;
        heard = null;
    }

    /** Cancels {@code execution}, or discards its result. */
    private void drops(Execution<T> execution) {
        if (first.hasTimedOut ? execution.timesOut() : execution.abandon()) return;
        StepEnd<T> end = execution.getEnd();
        if (end.failure == null) call.discard(end.value);
    }

    /** The call does not go on. In a turn. */
    @Override
    protected void cancel() {
        isOver(getEnd());
    }

    private final class First extends Execution<T> {
        First(Attempt attempt) {
            super(Race.this.call, attempt);
        }

        @Override
        protected void begin() {
            super.begin();
            // Ended at once: there is nothing to overtake.
            if (getEnd() != null) return;
            try {
                // The end of the race stops the timer.
                Race.this.timedBy(call.threads.retrier.waiter().after(Duration.ofNanos(delayNanos), () -> {
                    call.threads.forCopy(Race.this::asksForCopy);
                }));
            } catch (Throwable e) {
                // A user's timer. No copy. The call goes on without.
            }
        }
    }

    private void asksForCopy() {
        isCopyDue = true;
        call.resume();
    }
}
