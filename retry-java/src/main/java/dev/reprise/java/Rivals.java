package dev.reprise.java;

import dev.reprise.core.Attempt;
import dev.reprise.core.shell.call.HedgeRace;
import dev.reprise.core.shell.layers.AttemptScope;
import dev.reprise.coroutines.shell.StepEnd;
import java.util.ArrayList;
import java.util.List;

/** The two executions of a {@link HedgeRace}, which end on threads of their own: what came of them, and who won. */
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

    private final HedgeRace race;
    private StepEnd<T> first;
    private StepEnd<T> copy;
    private StepEnd<T> outcome;
    private boolean isOver;
    private boolean isCleared;

    Rivals(HedgeRace race) {
        this.race = race;
    }

    /** Pays for the copy; null if none is sent. */
    synchronized Attempt copyStarts() {
        return isOver || first != null ? null : race.copyStarts();
    }

    /** Reports the {@code end} of an execution, and its {@code scope}. */
    synchronized Meaning endsWith(boolean isCopy, StepEnd<T> end, AttemptScope scope) {
        if (isOver) return Meaning.LATE;
        if (isCopy) copy = end;
        else first = end;
        try {
            isOver = end.failure == null
                    ? race.returned(isCopy, end.value, scope)
                    : race.threw(isCopy, end.failure, Throwables.meaningOf(end.failure), null, scope);
            if (isOver) outcome = race.getHasCopyWon() ? copy : first;
        } catch (Throwable e) {
            // Code of others: a clock, a listener. It ends the attempt.
            isOver = true;
            outcome = new StepEnd<>(null, e);
        }
        return isOver ? Meaning.DECIDES : Meaning.WAITS;
    }

    /** Ends the race with {@code end}, which is no execution's; null for none. Returns whether it went on until now. */
    synchronized boolean close(StepEnd<T> end) {
        if (isOver) return false;
        isOver = true;
        outcome = end;
        return true;
    }

    synchronized boolean isOver() {
        return isOver;
    }

    synchronized boolean hasFirstEnded() {
        return first != null;
    }

    /** How the race ended; null if it was closed. */
    synchronized StepEnd<T> outcome() {
        return outcome;
    }

    /** The results that were reported and are not the outcome, once. */
    synchronized List<T> lost() {
        List<T> lost = new ArrayList<>(2);
        if (isCleared) return lost;
        isCleared = true;
        if (first != null && first != outcome && first.failure == null) lost.add(first.value);
        if (copy != null && copy != outcome && copy.failure == null) lost.add(copy.value);
        return lost;
    }
}
