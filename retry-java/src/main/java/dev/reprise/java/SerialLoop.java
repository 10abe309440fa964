package dev.reprise.java;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * A loop that many threads may resume and that runs on one of them at a time, never inside itself: what happens while
 * it runs is found when it goes round once more, so that the stack does not grow. What one turn wrote the next one
 * sees.
 */
abstract class SerialLoop {
    private static final int IDLE = 0;
    private static final int RUNNING = 1;
    private static final int AGAIN = 2;

    private final AtomicInteger turn = new AtomicInteger(IDLE);

    /** Goes on as far as it can. */
    abstract void goOn();

    /** {@link #goOn} threw {@code failure}. */
    abstract void abandon(Throwable failure);

    /** Something has happened: the loop goes on, here or on the thread whose turn it is. */
    final void resume() {
        while (true) {
            int now = turn.get();
            if (now == AGAIN) return;
            if (!turn.compareAndSet(now, now == IDLE ? RUNNING : AGAIN)) continue;
            if (now == IDLE) takeTurn();
            return;
        }
    }

    private void takeTurn() {
        do {
            turn.set(RUNNING);
            try {
                goOn();
            } catch (Throwable e) {
                abandon(e);
            }
        } while (!turn.compareAndSet(RUNNING, IDLE));
    }
}
