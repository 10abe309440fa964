package dev.reprise.okhttp

import java.io.IOException
import java.io.InputStream
import java.net.InetAddress
import java.net.ServerSocket
import java.net.Socket
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.atomic.AtomicInteger
import kotlin.concurrent.thread

/** What the server does with a request that it has read. */
sealed interface Reply {
    /** Sends [text] as it is; then closes if [andClose]. */
    class Raw(val text: String, val andClose: Boolean = false) : Reply

    /** Sends nothing and closes. */
    data object Close : Reply

    /** Sends nothing and resets the connection. */
    data object Reset : Reply

    /** Sends [text] and then nothing more, until the client closes. */
    class Stall(val text: String = "") : Reply

    /** Sends a head byte by byte, one each [everyMillis], without end. */
    class Drip(val everyMillis: Long) : Reply
}

fun status(code: Int, body: String = "", vararg headers: String): Reply.Raw = Reply.Raw(
    buildString {
        append("HTTP/1.1 $code Text\r\nContent-Length: ${body.length}\r\n")
        headers.forEach { append(it).append("\r\n") }
        append("\r\n").append(body)
    },
)

class SeenRequest(val line: String, val headers: Map<String, String>, val body: String) {
    val method: String get() = line.substringBefore(' ')
}

/** A server on loopback whose faults go down to the socket: [answer] says what to do with request number n, from 0. */
class RawServer(private val answer: (n: Int, request: SeenRequest) -> Reply) : AutoCloseable {
    constructor(vararg replies: Reply) : this({ n, _ -> replies[minOf(n, replies.size - 1)] })

    private val socket = ServerSocket(0, 50, InetAddress.getLoopbackAddress())
    private val open = ConcurrentLinkedQueue<Socket>()
    private val count = AtomicInteger()
    val requests: MutableList<SeenRequest> = CopyOnWriteArrayList()
    val connections: AtomicInteger = AtomicInteger()
    val url: String = "http://127.0.0.1:${socket.localPort}/"

    init {
        thread(isDaemon = true) {
            while (!socket.isClosed) {
                val client = try {
                    socket.accept()
                } catch (_: IOException) {
                    break
                }
                connections.incrementAndGet()
                open += client
                thread(isDaemon = true) { serve(client) }
            }
        }
    }

    private fun serve(client: Socket) = try {
        client.use {
            val input = it.getInputStream().buffered()
            while (true) {
                val request = read(input) ?: break
                requests += request
                if (!reply(answer(count.getAndIncrement(), request), it)) break
            }
        }
    } catch (_: IOException) {
        // The client has gone.
    }

    private fun reply(reply: Reply, client: Socket): Boolean {
        val output = client.getOutputStream()
        when (reply) {
            is Reply.Raw -> {
                output.write(reply.text.encodeToByteArray())
                return !reply.andClose
            }

            Reply.Close -> return false

            Reply.Reset -> {
                client.setSoLinger(true, 0)
                return false
            }

            is Reply.Stall -> {
                output.write(reply.text.encodeToByteArray())
                client.getInputStream().read()
                return false
            }

            is Reply.Drip -> {
                output.write("HTTP/1.1 200 OK\r\nX: ".encodeToByteArray())
                while (true) {
                    output.write('x'.code)
                    Thread.sleep(reply.everyMillis)
                }
            }
        }
    }

    private fun read(input: InputStream): SeenRequest? {
        val lines = generateSequence { line(input) }.takeWhile { it.isNotEmpty() }.toList()
        if (lines.isEmpty()) return null
        val headers = lines.drop(1).associate { it.substringBefore(':').lowercase() to it.substringAfter(": ") }
        val length = headers["content-length"]?.toInt() ?: 0
        return SeenRequest(lines[0], headers, String(input.readNBytes(length)))
    }

    private fun line(input: InputStream): String? {
        val text = StringBuilder()
        while (true) {
            val c = input.read()
            if (c < 0) return null
            if (c == '\n'.code) return text.toString().trimEnd('\r')
            text.append(c.toChar())
        }
    }

    /** Closes the connections that are open now, not the server. */
    fun closeConnections() {
        while (true) (open.poll() ?: return).close()
    }

    override fun close() {
        socket.close()
        closeConnections()
    }
}
