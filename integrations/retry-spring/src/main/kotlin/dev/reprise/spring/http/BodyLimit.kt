package dev.reprise.spring.http

import dev.reprise.core.Attempt
import dev.reprise.core.time.UNLIMITED_NANOS
import dev.reprise.java.JavaWaiter
import dev.reprise.java.internal.Elsewhere
import dev.reprise.java.internal.Timers
import org.springframework.http.client.ClientHttpResponse
import java.time.Duration

/**
 * Closes the body of a response when its attempt has taken as long as it may. A thread that reads one does not feel the interrupt
 * that ends an attempt, with any of the clients below.
 */
internal class BodyLimit private constructor(private val response: ClientHttpResponse) {
    private var isOver = false

    private fun fire() {
        synchronized(this) { if (isOver) return }
        RestOutcome.abandon(response)
    }

    @Synchronized
    private fun end() {
        isOver = true
    }

    companion object {
        /** Runs [read] on [response], which is closed as soon as [attempt] has no time left. */
        fun <T> within(attempt: Attempt, waiter: JavaWaiter, response: ClientHttpResponse, read: () -> T): T {
            val left = attempt.timeLeftNanos
            if (left == UNLIMITED_NANOS) return read()
            val limit = BodyLimit(response)
            // Elsewhere: closing a socket may block, and must not hold up the one thread of all timers.
            val timer = waiter.after(Duration.ofNanos(left.coerceAtLeast(1))) { Elsewhere.run(limit::fire) }
            try {
                return read()
            } finally {
                limit.end()
                Timers.stop(timer)
            }
        }
    }
}
