package dev.reprise.java;

import dev.reprise.core.Attempt;
import dev.reprise.core.shell.call.HedgeRace;
import dev.reprise.coroutines.shell.StepEnd;
import dev.reprise.java.internal.Timers;
import java.time.Duration;

/**
 * A first attempt that may have a copy. It begins as any attempt does. The copy is a task of the call's executor: one
 * that does not take it leaves the first execution alone. The race ends with the outcome of the winner.
 */
final class Race<T> extends Execution<T> {
    private final Rivals<T> rivals;
    private final long delayNanos;
    private volatile Runnable delay;
    private volatile Copy copy;

    Race(FutureCall<T, ?> call, Attempt attempt, HedgeRace race) {
        super(call, attempt);
        rivals = new Rivals<>(race);
        delayNanos = race.getDelayNanos();
    }

    @Override
    protected void begin() {
        super.begin();
        // Ended at once: there is nothing to overtake.
        if (getEnd() != null || rivals.hasFirstEnded()) return;
        try {
            delay = call.threads.retrier.waiter().after(Duration.ofNanos(delayNanos), this::asksForCopy);
        } catch (Throwable e) {
            // A user's timer. No copy. The call goes on without.
        }
        if (getEnd() != null) Timers.stop(delay);
    }

    private void asksForCopy() {
        call.threads.afterWait(this::copies, refusal -> {});
    }

    private void copies() {
        if (rivals.isOver() || getEnd() != null) return;
        Attempt second = rivals.copyStarts();
        if (second == null) return;
        Copy copy = new Copy(second);
        this.copy = copy;
        // What ends the race either finds the copy, or is found here.
        if (!rivals.isOver() && getEnd() == null) copy.run();
    }

    @Override
    void gives(T result, Throwable failure) {
        ended(this, result, failure);
    }

    private void ended(Execution<T> execution, T result, Throwable failure) {
        boolean isCopy = execution != this;
        switch (rivals.endsWith(isCopy, new StepEnd<>(result, failure), execution.scope(call.madeAt))) {
            case WAITS -> {}
            case LATE -> {
                if (failure == null) call.discard(result);
            }
            case DECIDES -> {
                Copy copy = this.copy;
                if (!rivals.hasFirstEnded()) super.cancel();
                if (copy != null && !isCopy) copy.abandon();
                StepEnd<T> outcome = rivals.outcome();
                clear();
                ends(outcome.value, outcome.failure);
            }
        }
    }

    /** Nothing but the outcome is left. */
    private void clear() {
        copy = null;
        Timers.stop(delay);
        for (T lost : rivals.lost()) call.discard(lost);
    }

    @Override
    boolean interrupts() {
        Copy copy = this.copy;
        if (copy != null) copy.interrupts();
        return super.interrupts();
    }

    @Override
    protected void cancel() {
        rivals.close(null);
        super.cancel();
        Copy copy = this.copy;
        if (copy != null) copy.cancel();
        clear();
    }

    private final class Copy extends Execution<T> {
        Copy(Attempt attempt) {
            super(Race.this.call, attempt);
        }

        @Override
        void gives(T result, Throwable failure) {
            ended(this, result, failure);
        }
    }
}
