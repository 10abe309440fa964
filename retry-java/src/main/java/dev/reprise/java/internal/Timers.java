package dev.reprise.java.internal;

/** Handles of timers, as a {@code JavaWaiter} returns them. */
public final class Timers {
    private Timers() {}

    /** Cancels {@code timer}, if there is one. */
    public static void stop(Runnable timer) {
        if (timer == null) return;
        try {
            timer.run();
        } catch (Throwable e) {
            // A user's waiter. Its task, if it still runs, finds that it is too late.
        }
    }
}
