package dev.reprise.core.call

import dev.reprise.core.shell.ShellApi

/**
 * Ends the wait of a blocking call from another thread, by an interrupt of the thread that made the guard. An attempt is
 * never interrupted: whatever makes it has its own way to end it.
 *
 * An interrupt that comes too late is taken back when the call ends. Safe for any number of threads.
 */
@ShellApi
public class WaitGuard {
    private val thread = Thread.currentThread()
    private var isAttempt = false
    private var isOver = false

    /** Whether the guard has ended a wait, or the one that was to follow. */
    @get:Synchronized
    public var hasFired: Boolean = false
        private set

    /** Ends the wait under way. During an attempt, or after the call, it does nothing. */
    @Synchronized
    public fun fire() {
        if (isAttempt || isOver || hasFired) return
        hasFired = true
        thread.interrupt()
    }

    /** An attempt begins, or ends. */
    @Synchronized
    public fun attempt(isRunning: Boolean) {
        isAttempt = isRunning
    }

    /** The call is over. On the guarded thread. */
    @Synchronized
    public fun end() {
        isOver = true
        if (hasFired) Thread.interrupted()
    }
}
