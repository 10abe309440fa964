package dev.reprise.java;

import dev.reprise.core.shell.ShellApi;

/**
 * Ends the wait of a blocking call from another thread, by an interrupt of the thread that makes the call. It never
 * interrupts an attempt on that thread that was announced: its client has its own way to end it.
 *
 * <p>An interrupt that comes too late is taken back when the call ends. An interrupt that was there before is not the
 * guard's: it ends the wait by itself, and stays. Safe for any number of threads. For shells around blocking HTTP
 * clients.
 */
@ShellApi
public final class WaitGuard {
    private final Thread thread;
    private boolean isAttempt;
    private boolean isOver;
    private boolean hasFired;

    /** A guard of the calling thread's waits. */
    public WaitGuard() {
        this(Thread.currentThread());
    }

    /** A guard of the waits of {@code thread}, which makes the call. */
    public WaitGuard(Thread thread) {
        this.thread = thread;
    }

    /** Returns whether the guard has ended a wait, present or next. */
    public synchronized boolean hasFired() {
        return hasFired;
    }

    /** Ends the wait under way. During an attempt, after the call, or if the thread is interrupted, it does nothing. */
    public synchronized void fire() {
        if (isAttempt || isOver || hasFired || thread.isInterrupted()) return;
        hasFired = true;
        thread.interrupt();
    }

    /**
     * An attempt begins, or ends, on the calling thread. One that another thread makes leaves the guarded one waiting:
     * to end that wait ends the attempt too.
     */
    public synchronized void attempt(boolean isRunning) {
        if (Thread.currentThread() == thread) isAttempt = isRunning;
    }

    /** The call is over. On the guarded thread. */
    public synchronized void end() {
        isOver = true;
        if (hasFired) Thread.interrupted();
    }
}
