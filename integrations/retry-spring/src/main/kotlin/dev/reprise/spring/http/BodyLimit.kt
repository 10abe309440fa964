package dev.reprise.spring.http

import dev.reprise.core.Attempt
import dev.reprise.core.time.UNLIMITED_NANOS
import dev.reprise.java.JavaWaiter
import dev.reprise.java.internal.Elsewhere
import dev.reprise.java.internal.Timers
import org.springframework.http.client.ClientHttpResponse
import java.io.FilterInputStream
import java.io.IOException
import java.io.InputStream
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
    private var isClosed = false

    @Volatile
    private var isOver = false

    // Elsewhere: closing a socket may block, and must not hold up the one thread of all timers.
    private val timer = waiter.after(Duration.ofNanos(nanos)) { Elsewhere.run(::fire) }

    private fun fire() {
        synchronized(this) {
            if (isClosed) return
            isOver = true
        }
        RestOutcome.abandon(response)
    }

    /** Ends the limit, and leaves the response as it is. */
    override fun close() {
        synchronized(this) { isClosed = true }
        Timers.stop(timer)
    }

    /** [body], which breaks when the time is over: some clients cannot close a body that another thread keeps reading. */
    fun over(body: InputStream): InputStream = object : FilterInputStream(body) {
        override fun read(): Int = inTime().read()

        override fun read(bytes: ByteArray, offset: Int, length: Int): Int = inTime().read(bytes, offset, length)

        private fun inTime(): InputStream = if (isOver) throw IOException("the attempt's time is over") else body
    }

    companion object {
        /** Closes [response] as soon as [attempt] has no time left, unless the limit is closed before. `null` if there is none. */
        fun of(attempt: Attempt, waiter: JavaWaiter, response: ClientHttpResponse): BodyLimit? {
            val left = attempt.timeLeftNanos
            return if (left == UNLIMITED_NANOS) null else BodyLimit(response, waiter, left.coerceAtLeast(1))
        }
    }
}
