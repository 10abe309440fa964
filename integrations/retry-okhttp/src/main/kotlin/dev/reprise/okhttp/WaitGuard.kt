package dev.reprise.okhttp

/**
 * Ends the wait of a blocking call that is cancelled, by an interrupt of the thread that made the guard. An attempt
 * is never interrupted: OkHttp ends it by itself, and keeps its connections in order.
 *
 * An interrupt that comes too late is taken back when the call ends. Safe for any number of threads.
 */
internal class WaitGuard {
    private val thread = Thread.currentThread()
    private var isAttempt = false
    private var isOver = false
    private var hasInterrupted = false

    /** The call is cancelled. */
    @Synchronized
    fun canceled() {
        if (isAttempt || isOver || hasInterrupted) return
        hasInterrupted = true
        thread.interrupt()
    }

    /** An attempt begins, or ends. */
    @Synchronized
    fun attempt(isRunning: Boolean) {
        isAttempt = isRunning
    }

    /** The call is over. */
    @Synchronized
    fun end() {
        isOver = true
        if (hasInterrupted) Thread.interrupted()
    }
}
