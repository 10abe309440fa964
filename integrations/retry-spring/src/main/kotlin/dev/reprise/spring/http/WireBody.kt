package dev.reprise.spring.http

import java.io.FilterInputStream
import java.io.IOException
import java.io.InputStream

/**
 * A response's body, which one thread reads and another may close. A read that is under way then throws, and does not end the body.
 *
 * Spring's stream over Reactor Netty, closed during a read, releases its connection and its buffers only in a later read. So the
 * last of the two threads reads what is left of the piece. The streams of other clients throw at that.
 */
internal class WireBody(below: InputStream) : FilterInputStream(below) {
    private enum class State { OPEN, CLOSING, CLOSED }

    @Volatile
    private var state = State.OPEN

    @Volatile
    private var isReading = false

    override fun read(): Int = reading { `in`.read() }

    override fun read(bytes: ByteArray, offset: Int, length: Int): Int = reading { `in`.read(bytes, offset, length) }

    override fun close() {
        if (state == State.CLOSED) return
        state = State.CLOSING
        try {
            `in`.close()
        } finally {
            state = State.CLOSED
            if (!isReading) letGo()
        }
    }

    private fun reading(read: () -> Int): Int {
        isReading = true
        val size = try {
            if (state == State.OPEN) read() else -1
        } finally {
            isReading = false
            if (state == State.CLOSED) letGo()
        }
        if (state != State.OPEN) throw IOException("closed")
        return size
    }

    /** Reads what is left of the piece that the reader had begun. */
    private fun letGo() {
        val rest = ByteArray(PART)
        Wire.quietly { (1..MOST_PARTS).all { `in`.read(rest) >= 0 } }
    }

    private companion object {
        const val PART = 8 * 1024

        /** Netty receives at most 64 KiB at once. */
        const val MOST_PARTS = 9
    }
}
