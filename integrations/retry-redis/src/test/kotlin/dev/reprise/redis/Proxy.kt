package dev.reprise.redis

import java.io.IOException
import java.net.InetAddress
import java.net.ServerSocket
import java.net.Socket
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.LinkedBlockingQueue
import kotlin.concurrent.thread

/** A network between clients and the server at [target]: [roundTripMs] away, and silent on demand. A connection opens in [openMs]. */
internal class Proxy(
    /** The port to which new connections lead. */
    @Volatile var target: Int,
    private val roundTripMs: Long = 0,
    private val openMs: Long = 0,
) : AutoCloseable {
    private class Chunk(val at: Long, val bytes: ByteArray)

    private val server = ServerSocket(0, 50, InetAddress.getLoopbackAddress())
    private val sockets = CopyOnWriteArrayList<Socket>()

    /** Each silence ends the use of all connections that were there or were made in it; none of them is closed. */
    @Volatile
    private var silences = 0

    @Volatile
    private var isSilent = false

    val url: String get() = "redis://127.0.0.1:${server.localPort}"

    init {
        thread(isDaemon = true) {
            try {
                while (true) accept(server.accept())
            } catch (_: IOException) {
                // Closed.
            }
        }
    }

    fun beSilent() {
        silences++
        isSilent = true
    }

    /** New connections are served; earlier ones stay dead, as where TCP has given up sending again. */
    fun heal() {
        isSilent = false
    }

    private fun accept(near: Socket) {
        sockets += near
        if (isSilent) return
        if (openMs == 0L) return open(near)
        thread(isDaemon = true) {
            Thread.sleep(openMs)
            open(near)
        }
    }

    private fun open(near: Socket) {
        val far = connected() ?: return near.close()
        sockets += far
        val silencesThen = silences
        pump(near, far) { silences == silencesThen }
        pump(far, near) { silences == silencesThen }
    }

    private fun pump(from: Socket, to: Socket, isOpen: () -> Boolean) {
        val queue = LinkedBlockingQueue<Chunk>()
        from.tcpNoDelay = true
        to.tcpNoDelay = true
        thread(isDaemon = true) {
            val buffer = ByteArray(65_536)
            var count = read(from, buffer)
            while (count >= 0) {
                queue += Chunk(System.nanoTime() + roundTripMs * 500_000, buffer.copyOf(count))
                count = read(from, buffer)
            }
            queue += Chunk(System.nanoTime(), ByteArray(0))
        }
        thread(isDaemon = true) {
            while (true) {
                val chunk = queue.take()
                val wait = chunk.at - System.nanoTime()
                if (wait > 0) Thread.sleep(wait / 1_000_000, (wait % 1_000_000).toInt())
                if (!isOpen()) continue
                if (chunk.bytes.isEmpty()) return@thread to.close()
                try {
                    to.getOutputStream().write(chunk.bytes)
                } catch (_: IOException) {
                    return@thread from.close()
                }
            }
        }
    }

    private fun connected() = try {
        Socket("127.0.0.1", target)
    } catch (_: IOException) {
        null
    }

    private fun read(from: Socket, buffer: ByteArray) = try {
        from.getInputStream().read(buffer)
    } catch (_: IOException) {
        -1
    }

    override fun close() {
        server.close()
        sockets.forEach { it.close() }
    }
}
