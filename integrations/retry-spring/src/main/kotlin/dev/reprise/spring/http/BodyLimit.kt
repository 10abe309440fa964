package dev.reprise.spring.http

import dev.reprise.core.Attempt
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.RetryTrace
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.java.JavaWaiter
import dev.reprise.java.internal.Elsewhere
import dev.reprise.java.internal.Timers
import org.springframework.http.client.ClientHttpResponse
import java.io.FilterInputStream
import java.io.IOException
import java.io.InputStream
import java.net.SocketTimeoutException
import java.time.Duration

/**
 * Closes the body of a response when its attempt has taken as long as it may. A thread that reads one does not feel the interrupt
 * that ends an attempt, with any of the clients below.
 */
internal class BodyLimit private constructor(
    private val response: ClientHttpResponse,
    waiter: JavaWaiter,
    private val attempt: Int,
    private val nanos: Long,
    private val trace: RetryTrace?,
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

    /**
     * [body], which says so when the time is over, and ends then: some clients cannot close a body that another thread keeps
     * reading.
     */
    fun over(body: InputStream): InputStream = object : FilterInputStream(body) {
        override fun read(): Int = inTime { body.read() }

        override fun read(bytes: ByteArray, offset: Int, length: Int): Int = inTime { body.read(bytes, offset, length) }
    }

    private inline fun inTime(read: () -> Int): Int {
        try {
            if (!isOver) return read()
        } catch (e: IOException) {
            if (!isOver) throw e
        }
        val timeout = AttemptTimeoutException(attempt, nanos)
        if (trace != null) timeout.addSuppressed(trace)
        throw SocketTimeoutException(timeout.message).also { it.initCause(timeout) }
    }

    companion object {
        /**
         * Closes [response] as soon as [attempt] has no time left, unless the limit is closed before. `null` if there is none. Its
         * exception carries [trace].
         */
        fun of(
            attempt: Attempt,
            waiter: JavaWaiter,
            response: ClientHttpResponse,
            trace: RetryTrace? = null,
        ): BodyLimit? {
            val left = attempt.timeLeftNanos
            if (left == UNLIMITED_NANOS) return null
            return BodyLimit(response, waiter, attempt.number, left.coerceAtLeast(1), trace)
        }
    }
}
