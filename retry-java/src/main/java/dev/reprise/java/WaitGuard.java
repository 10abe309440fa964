package dev.reprise.java;

import dev.reprise.core.shell.ShellApi;

/**
 * Ends the wait of a blocking call from another thread, by an interrupt of the thread that made the guard. An attempt
 * is never interrupted: whatever makes it has its own way to end it.
 *
 * <p>An interrupt that comes too late is taken back when the call ends. Safe for any number of threads. For shells
 * around blocking HTTP clients.
 */
@ShellApi
public final class WaitGuard {
    private final Thread thread = Thread.currentThread();
    private boolean isAttempt;
    private boolean isOver;
    private boolean hasFired;

    /** A guard of the calling thread's waits. */
    public WaitGuard() {}

    /** Returns whether the guard has ended a wait, or the one that was to follow. */
    public synchronized boolean hasFired() {
        return hasFired;
    }

    /** Ends the wait under way. During an attempt, or after the call, it does nothing. */
    public synchronized void fire() {
        if (isAttempt || isOver || hasFired) return;
        hasFired = true;
        thread.interrupt();
    }

    /** An attempt begins, or ends. */
    public synchronized void attempt(boolean isRunning) {
        isAttempt = isRunning;
    }

    /** The call is over. On the guarded thread. */
    public synchronized void end() {
        isOver = true;
        if (hasFired) Thread.interrupted();
    }
}
