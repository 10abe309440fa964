package dev.reprise.databases

import java.io.IOException
import java.io.InputStream
import java.net.InetAddress
import java.net.ServerSocket
import java.net.Socket
import java.util.concurrent.atomic.AtomicReference
import kotlin.concurrent.thread

/** Where a connection breaks. */
enum class Cut {
    /** The commit does not reach the server. */
    BEFORE_COMMIT,

    /** The server commits, and its answer does not reach the client. */
    BEFORE_ANSWER,
}

/** Stands between clients and a server, and breaks one connection at its commit when told to. */
class CommitCutter(private val serverPort: Int) : AutoCloseable {
    private val listening = ServerSocket(0, 50, InetAddress.getLoopbackAddress())
    private val armed = AtomicReference<Cut?>()

    val port: Int get() = listening.localPort

    init {
        thread(isDaemon = true) { untilClosed { while (true) serve(listening.accept()) } }
    }

    /** The next commit that comes by is cut. */
    fun cutNext(cut: Cut) = armed.set(cut)

    private fun serve(client: Socket) {
        val server = Socket(InetAddress.getLoopbackAddress(), serverPort)
        val isCut = AtomicReference(false)
        thread(isDaemon = true) { client.use { server.use { untilClosed { pump(client, server, isCut) } } } }
        thread(isDaemon = true) {
            client.use {
                server.use {
                    untilClosed {
                        server.getInputStream().eachPart { part, size ->
                            // The server has committed by the time it answers.
                            if (isCut.get()) throw IOException("cut")
                            client.getOutputStream().write(part, 0, size)
                        }
                    }
                }
            }
        }
    }

    private fun pump(client: Socket, server: Socket, isCut: AtomicReference<Boolean>) =
        client.getInputStream().eachPart { part, size ->
            val cut = if ("COMMIT" in String(part, 0, size, Charsets.ISO_8859_1)) armed.getAndSet(null) else null
            if (cut == Cut.BEFORE_COMMIT) throw IOException("cut")
            if (cut == Cut.BEFORE_ANSWER) isCut.set(true)
            server.getOutputStream().write(part, 0, size)
        }

    override fun close() = listening.close()

    private inline fun InputStream.eachPart(use: (ByteArray, Int) -> Unit) {
        val part = ByteArray(8192)
        while (true) {
            val size = read(part)
            if (size < 0) return
            use(part, size)
        }
    }

    private inline fun untilClosed(block: () -> Unit) = try {
        block()
    } catch (_: IOException) {
        // That is how a connection ends here.
    }
}
