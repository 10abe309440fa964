package dev.reprise.okhttp

import dev.reprise.core.Attempt
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.java.JavaWaiter
import dev.reprise.java.internal.Elsewhere
import java.time.Duration

/**
 * Cuts an attempt off when its time is up. A thread that is blocked in a socket feels no interrupt, so [sender] ends
 * what it waits for. Nothing is cut once the attempt is over: its connection may be another call's then.
 *
 * A cut closes a socket and runs listeners of the user's. Either may block, so the timer leaves it to another thread.
 */
internal class AttemptLimit private constructor(private val attempt: Attempt, private val nanos: Long, sender: Sender) {
    private val startedAt = System.nanoTime()
    private var isOver = false
    private var hasFired = false
    private val timer = JavaWaiter.SYSTEM.after(Duration.ofNanos(nanos.coerceAtLeast(1))) {
        Elsewhere.run { fire(sender) }
    }

    @Synchronized
    private fun fire(sender: Sender) {
        if (isOver) return
        hasFired = true
        sender.cut(attempt)
    }

    /** The attempt is over. Throws if that came too late, by the clock: on a busy machine the timer may be late too. */
    fun end() {
        timer.run()
        synchronized(this) { isOver = true }
        if (hasFired || System.nanoTime() - startedAt >= nanos) throw AttemptTimeoutException(attempt.number, nanos)
    }

    companion object {
        /** The limit of [attempt], or `null` if it has none. */
        fun of(attempt: Attempt, sender: Sender): AttemptLimit? {
            val left = attempt.timeLeftNanos
            return if (left == UNLIMITED_NANOS) null else AttemptLimit(attempt, left, sender)
        }
    }
}
