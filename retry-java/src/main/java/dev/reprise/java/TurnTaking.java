package dev.reprise.java;

import dev.reprise.java.internal.EndableFuture;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A future whose work is done in turns. Many threads may {@link #resume} it; a turn runs on one of them at a time and
 * never inside itself: what happens while it runs is found in one turn more, so that the stack does not grow. What one
 * turn wrote the next one sees.
 */
abstract class TurnTaking<R> extends EndableFuture<R> {
    private static final VarHandle TURN;

    static {
        try {
            TURN = MethodHandles.lookup().findVarHandle(TurnTaking.class, "turn", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final int IDLE = 0;
    private static final int RUNNING = 1;
    private static final int AGAIN = 2;

    /** The first turn is its maker's. */
    @SuppressWarnings("unused") // by its handle
    private volatile int turn = RUNNING;

    /** Does what there is to do. */
    abstract void takeTurn();

    /** Something has happened: a turn follows, here or on the thread whose turn it is. */
    final void resume() {
        while (true) {
            int now = turn;
            if (now == AGAIN) return;
            if (!TURN.compareAndSet(this, now, now == IDLE ? RUNNING : AGAIN)) continue;
            if (now == IDLE) takeTurns();
            return;
        }
    }

    /** The turn in which this was made ends, with something pending or with the end of all. */
    final void endFirstTurn() {
        if (!TURN.compareAndSet(this, RUNNING, IDLE)) takeTurns();
    }

    private void takeTurns() {
        do {
            turn = RUNNING;
            takeTurn();
        } while (!TURN.compareAndSet(this, RUNNING, IDLE));
    }

    @Override
    protected void endedFromOutside() {
        resume();
    }
}
