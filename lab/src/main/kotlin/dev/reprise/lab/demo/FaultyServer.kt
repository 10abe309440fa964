package dev.reprise.lab.demo

import io.ktor.http.HttpStatusCode
import java.io.BufferedReader
import java.net.InetAddress
import java.net.ServerSocket
import java.net.Socket
import java.net.SocketException
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger
import kotlin.concurrent.thread

/** What [FaultyServer] does with one request. */
internal sealed class Reply {
    /** Answers with [status] and [headers]. */
    class Answer(val status: Int, vararg val headers: Pair<String, String>) : Reply()

    /** Begins to answer and drops the connection: the client sees a reset. */
    object Reset : Reply()

    /** Takes the request and says nothing until the client hangs up. */
    object Stall : Reply()
}

/**
 * An HTTP server on a free port of the loopback interface that answers each path by a script, one reply a request; the
 * last reply of a script repeats. Written on a bare socket, because no HTTP library resets a connection on demand.
 */
internal class FaultyServer(private val scripts: Map<String, List<Reply>>) : AutoCloseable {
    private val socket = ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress())
    private val connections = ConcurrentHashMap.newKeySet<Socket>()
    private val asked = ConcurrentHashMap<String, AtomicInteger>()

    /** Where the server listens. */
    val address: String = "http://${socket.inetAddress.hostAddress}:${socket.localPort}"

    /** How many requests came in so far. */
    val requests: Int get() = asked.values.sumOf { it.get() }

    init {
        thread(name = "faulty-server", isDaemon = true) { accept() }
    }

    private fun accept() {
        while (true) {
            val connection =
                try {
                    socket.accept()
                } catch (_: SocketException) {
                    return // closed
                }
            connections.add(connection)
            thread(name = "faulty-connection", isDaemon = true) { serve(connection) }
        }
    }

    private fun serve(connection: Socket) {
        try {
            connection.use {
                val path = readRequest(it.getInputStream().bufferedReader()) ?: return
                val count = asked.computeIfAbsent(path) { AtomicInteger() }.getAndIncrement()
                val script = scripts[path] ?: listOf(Reply.Answer(404))
                reply(it, script[minOf(count, script.lastIndex)])
            }
        } catch (_: SocketException) {
            // The client hung up first.
        } finally {
            connections.remove(connection)
        }
    }

    /** Reads a request without a body; answers its path, or `null` if the client only opened the connection. */
    private fun readRequest(input: BufferedReader): String? {
        val path = input.readLine()?.split(' ')?.getOrNull(1)
        while (!input.readLine().isNullOrEmpty()) continue
        return path
    }

    private fun reply(connection: Socket, reply: Reply) {
        when (reply) {
            is Reply.Answer -> connection.getOutputStream().write(text(reply).toByteArray())
            Reply.Reset -> reset(connection)
            Reply.Stall -> while (connection.getInputStream().read() >= 0) continue
        }
    }

    /**
     * Resets in the middle of the answer: had the client seen nothing of it, the JDK's HTTP client would repeat a GET on
     * its own, and no figure would show that.
     */
    private fun reset(connection: Socket) {
        connection.getOutputStream().write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nOnce".toByteArray())
        Thread.sleep(UNTIL_READ_MILLIS)
        connection.setSoLinger(true, 0) // closing now sends RST instead of FIN
    }

    private fun text(answer: Reply.Answer): String = buildString {
        append("HTTP/1.1 ${answer.status} ${reasonPhrase(answer.status)}\r\n")
        for ((name, value) in answer.headers) append("$name: $value\r\n")
        append("Content-Length: 0\r\nConnection: close\r\n\r\n")
    }

    override fun close() {
        socket.close()
        connections.forEach(Socket::close)
    }

    private companion object {
        const val BACKLOG = 50

        /** A reset may overtake what was sent before it. */
        const val UNTIL_READ_MILLIS = 20L
    }
}

/** The text that HTTP has for [status]. */
internal fun reasonPhrase(status: Int): String = HttpStatusCode.fromValue(status).description
