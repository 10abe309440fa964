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
internal class BodyLimit private constructor(
    private val response: ClientHttpResponse,
    waiter: JavaWaiter,
    nanos: Long,
) : AutoCloseable {
    private var isOver = false

    // Elsewhere: closing a socket may block, and must not hold up the one thread of all timers.
    private val timer = waiter.after(Duration.ofNanos(nanos)) { Elsewhere.run(::fire) }

    private fun fire() {
        synchronized(this) { if (isOver) return }
        RestOutcome.abandon(response)
    }

    /** Ends the limit, and leaves the response as it is. */
    override fun close() {
        synchronized(this) { isOver = true }
        Timers.stop(timer)
    }

    companion object {
        /** Closes [response] as soon as [attempt] has no time left, unless the limit is closed before. `null` if there is none. */
        fun of(attempt: Attempt, waiter: JavaWaiter, response: ClientHttpResponse): BodyLimit? {
            val left = attempt.timeLeftNanos
            return if (left == UNLIMITED_NANOS) null else BodyLimit(response, waiter, left.coerceAtLeast(1))
        }
    }
}
