package dev.reprise.ktor

import java.io.BufferedInputStream
import java.io.OutputStream
import java.net.InetAddress
import java.net.ServerSocket
import java.net.Socket
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger
import kotlin.concurrent.thread

/** What a [RawServer] does with one request on one connection. */
internal fun interface Act {
    /** Answers whether the connection goes on. */
    fun on(connection: Socket): Boolean
}

/**
 * A server of plain sockets on this host that does [acts] in turn, one for each request, the last one for ever: what a real
 * server does by accident.
 */
internal class RawServer(vararg acts: Act) : AutoCloseable {
    private val script = acts.toList()
    private val socket = ServerSocket(0, 200, InetAddress.getLoopbackAddress())
    private val open = ConcurrentHashMap.newKeySet<Socket>()
    private val served = AtomicInteger()
    private val accepted = AtomicInteger()

    val url: String get() = "http://localhost:${socket.localPort}/"

    /** What the last request for a WebSocket came with. */
    @Volatile
    var webSocketKey: String = ""
        private set

    /** How many requests came. */
    val requests: Int get() = served.get()

    /** How many connections were made. */
    val connections: Int get() = accepted.get()

    /** How many connections are open now. */
    val openConnections: Int get() = open.size

    init {
        thread(isDaemon = true, name = "raw-server") {
            while (!socket.isClosed) {
                val connection = runCatching { socket.accept() }.getOrNull() ?: break
                accepted.incrementAndGet()
                open += connection
                thread(isDaemon = true, name = "raw-connection") { serve(connection) }
            }
        }
    }

    private fun serve(connection: Socket) {
        try {
            val input = BufferedInputStream(connection.getInputStream())
            while (readRequest(input)) {
                val act = script[minOf(served.getAndIncrement(), script.lastIndex)]
                if (!act.on(connection)) break
            }
        } catch (_: Exception) {
            // The other end went away, which is what most of these tests are about.
        } finally {
            open -= connection
            connection.close()
        }
    }

    /** Reads a request with its body; answers whether there was one. */
    private fun readRequest(input: BufferedInputStream): Boolean {
        var length = 0
        var isFirst = true
        while (true) {
            val line = input.line() ?: return false
            if (line.isEmpty() && !isFirst) break
            isFirst = false
            if (line.startsWith("sec-websocket-key:", ignoreCase = true)) webSocketKey = line.substringAfter(':').trim()
            if (line.startsWith("content-length:", ignoreCase = true)) length = line.substringAfter(':').trim().toInt()
        }
        input.skipNBytes(length.toLong())
        return true
    }

    private fun BufferedInputStream.line(): String? {
        val text = StringBuilder()
        while (true) {
            val byte = read()
            if (byte < 0) return null
            if (byte == '\n'.code) return text.toString().trimEnd('\r')
            text.append(byte.toChar())
        }
    }

    override fun close() {
        socket.close()
        open.forEach { runCatching { it.close() } }
    }
}

private fun OutputStream.send(text: String) {
    write(text.toByteArray())
    flush()
}

private fun head(status: Int, length: Int) = "HTTP/1.1 $status Status\r\nContent-Length: $length\r\n\r\n"

/** A whole answer; the connection stays. */
internal fun answer(status: Int, body: String = "") = Act {
    it.getOutputStream().send(head(status, body.length) + body)
    true
}

/** The head of an answer that promises a body which never comes. */
internal fun stallInBody(status: Int) = Act {
    it.getOutputStream().send(head(status, 100) + "begin")
    Thread.sleep(60_000)
    false
}

/** Nothing at all. */
internal val stall = Act {
    Thread.sleep(60_000)
    false
}

/** [text] as it is, and the end of the connection. */
internal fun raw(text: String) = Act {
    it.getOutputStream().send(text)
    false
}

/** The end of the connection instead of an answer. */
internal val hangUp = Act { false }

/** A reset instead of an answer. */
internal val reset = Act {
    it.setSoLinger(true, 0)
    false
}

/** A reset in the middle of the head. */
internal val resetInHead = Act {
    it.getOutputStream().send("HTTP/1.1 200 O")
    it.setSoLinger(true, 0)
    false
}

/** A reset in the middle of the body; late enough for the head to be read, which a reset would take along. */
internal fun resetInBody(status: Int) = Act {
    it.getOutputStream().send(head(status, 100) + "begin")
    Thread.sleep(100)
    it.setSoLinger(true, 0)
    false
}

/** A body that is shorter than the head said. */
internal val shortBody = Act {
    it.getOutputStream().send(head(200, 100) + "begin")
    false
}

/** An answer after which the connection is closed though the client could keep it. */
internal fun answerAndClose(status: Int) = Act {
    it.getOutputStream().send(head(status, 0))
    false
}
