package dev.reprise.java;

import dev.reprise.core.Attempt;
import dev.reprise.core.shell.call.HedgeRace;
import dev.reprise.core.shell.layers.AttemptScope;
import dev.reprise.coroutines.shell.StepEnd;
import java.util.ArrayList;
import java.util.List;

/**
 * The two executions of a {@link HedgeRace}, which end on threads of their own: what came of them, and who won. Without
 * a race the first has no rival.
 */
final class Rivals<T> {
    /** What the end of an execution means. */
    enum Meaning {
        /** The race had ended before: nobody gets the result. */
        LATE,
        /** The other execution may do better. */
        WAITS,
        /** The race is over. */
        DECIDES
    }

    private HedgeRace race;
    private boolean hasFirstEnded;
    private boolean isOver;

    // What was reported and is not the outcome, and that.
    private StepEnd<T> first;
    private StepEnd<T> copy;
    private StepEnd<T> outcome;

    Rivals(HedgeRace race) {
        this.race = race;
    }

    /** Pays for the copy; null if none is sent. */
    synchronized Attempt copyStarts() {
        return isOver || hasFirstEnded ? null : race.copyStarts();
    }

    /** Reports the {@code end} of an execution, and its {@code scope}. */
    synchronized Meaning endsWith(boolean isCopy, StepEnd<T> end, AttemptScope scope) {
        if (isOver) return Meaning.LATE;
        if (isCopy) copy = end;
        else first = end;
        hasFirstEnded |= !isCopy;
        try {
            if (race != null && !Throwables.endsRace(race, isCopy, end, false, scope)) return Meaning.WAITS;
            decide(race != null && race.getHasCopyWon() ? copy : first);
        } catch (Throwable e) {
            // Code of others: a clock, a listener. It ends the attempt.
            decide(new StepEnd<>(null, e));
        }
        return Meaning.DECIDES;
    }

    private void decide(StepEnd<T> end) {
        isOver = true;
        outcome = end;
        if (first == end) first = null;
        if (copy == end) copy = null;
        race = null;
    }

    /** Ends the race with {@code end}, which is no execution's; null for none. Returns whether it went on until now. */
    synchronized boolean close(StepEnd<T> end) {
        if (isOver) return false;
        decide(end);
        return true;
    }

    synchronized boolean isOver() {
        return isOver;
    }

    /** How the race ended; null if it was closed. Given once: nothing is kept of a race that is over. */
    synchronized StepEnd<T> outcome() {
        StepEnd<T> end = outcome;
        outcome = null;
        return end;
    }

    /** The results that were reported and are not the outcome, once. */
    synchronized List<T> lost() {
        List<T> lost = new ArrayList<>(2);
        if (first != null && first.failure == null) lost.add(first.value);
        if (copy != null && copy.failure == null) lost.add(copy.value);
        first = null;
        copy = null;
        return lost;
    }
}
