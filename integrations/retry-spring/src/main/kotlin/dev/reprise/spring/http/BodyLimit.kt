package dev.reprise.spring.http

import dev.reprise.core.Attempt
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.RetryTrace
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.java.JavaWaiter
import dev.reprise.java.internal.Elsewhere
import dev.reprise.java.internal.Timers
import java.io.FilterInputStream
import java.io.InputStream
import java.net.SocketTimeoutException
import java.time.Duration

/**
 * Cuts the exchange of an attempt that has taken as long as it may. A thread that reads a body does not feel the interrupt that
 * ends an attempt, with any of the clients below; one that writes feels it with some.
 */
internal class BodyLimit private constructor(
    private val wire: Wire,
    waiter: JavaWaiter,
    private val attempt: Int,
    private val nanos: Long,
    private val trace: RetryTrace?,
    private val unfelt: () -> Unit,
) : AutoCloseable {
    @Volatile
    private var isClosed = false

    /** Whether the exchange was cut. */
    @Volatile
    var isOver: Boolean = false
        private set

    // Elsewhere: closing a socket may block, and must not hold up the one thread of all timers.
    private val timer = waiter.after(Duration.ofNanos(nanos)) { Elsewhere.run(::fire) }

    private fun fire() {
        synchronized(this) {
            if (isClosed) return
            isOver = true
        }
        // Before the cut, which may wait for a read that does not end.
        JavaWaiter.SYSTEM.after(PATIENCE) { if (!isClosed) Elsewhere.run(unfelt) }
        wire.cut()
    }

    /** Ends the limit, and leaves the exchange as it is. */
    override fun close() {
        synchronized(this) { isClosed = true }
        Timers.stop(timer)
    }

    /**
     * [body], which ends with an exception when the time is over, whatever the client below makes of a body that is closed
     * under its reader: neither a byte nor an end counts from then on.
     */
    fun over(body: InputStream): InputStream = object : FilterInputStream(body) {
        override fun read(): Int = inTime { body.read() }

        override fun read(bytes: ByteArray, offset: Int, length: Int): Int = inTime { body.read(bytes, offset, length) }

        override fun available(): Int = if (isOver) 0 else body.available()
    }

    private inline fun inTime(read: () -> Int): Int {
        val size =
            try {
                if (isOver) -1 else read()
            } catch (e: Exception) {
                if (!isOver) throw e
                -1
            }
        return if (isOver) throw timeout() else size
    }

    /** The exception of an exchange that was cut. */
    fun timeout(): SocketTimeoutException {
        val timeout = AttemptTimeoutException(attempt, nanos)
        if (trace != null) timeout.addSuppressed(trace)
        return SocketTimeoutException(timeout.message).also { it.initCause(timeout) }
    }

    companion object {
        /** What a client takes at most to end an exchange that is cut. */
        private val PATIENCE = Duration.ofSeconds(1)

        /**
         * Cuts the exchange on [wire] as soon as [attempt] has no time left, unless the limit is closed before; if it is not closed
         * a second later, calls [unfelt]. `null` if there is none. Its exception carries [trace].
         */
        fun of(
            attempt: Attempt,
            waiter: JavaWaiter,
            wire: Wire,
            trace: RetryTrace? = null,
            unfelt: () -> Unit = {},
        ): BodyLimit? {
            val left = attempt.timeLeftNanos
            if (left == UNLIMITED_NANOS) return null
            return BodyLimit(wire, waiter, attempt.number, left.coerceAtLeast(1), trace, unfelt)
        }
    }
}
