package dev.reprise.java.internal;

import dev.reprise.java.JavaWaiter;

/** What a {@link JavaWaiter} was asked to do later. */
public final class Timers {
    private Timers() {}

    /** Calls off what {@code timer} is the handle of, if there is one. What it would do finds that it is too late. */
    public static void stop(Runnable timer) {
        if (timer == null) return;
        try {
            timer.run();
        } catch (Throwable e) {
            // A waiter of the user's: its failure changes nothing of what came first.
        }
    }
}
