package dev.reprise.aws.java

import java.io.EOFException
import java.io.IOException
import java.io.InputStream
import java.net.InetAddress
import java.net.ServerSocket
import java.net.Socket
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse.BodyHandlers
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger
import kotlin.concurrent.thread
import kotlin.random.Random

/** Answers one request of DynamoDB's protocol. */
fun interface Table {
    fun answer(head: List<String>, body: ByteArray): Pair<Int, String>
}

/** A table of counters that is no more than the test needs: `ADD n 1` on a key that is not there. */
class CounterTable : Table {
    private val key = Regex("\"id\":\\{\"S\":\"([^\"]*)\"\\}")
    val counts = ConcurrentHashMap<String, Int>()

    override fun answer(head: List<String>, body: ByteArray): Pair<Int, String> {
        val id = key.find(body.decodeToString())!!.groupValues[1]
        var isNew = false
        counts.computeIfAbsent(id) { 1.also { isNew = true } }
        return if (isNew) 200 to "{}" else 400 to Protocol.JSON.error("ConditionalCheckFailedException")
    }
}

/** The DynamoDB at [url], such as DynamoDB Local. */
class RemoteTable(private val url: URI) : Table {
    private val client = HttpClient.newHttpClient()
    private val passed = setOf("x-amz-target", "content-type", "authorization", "x-amz-date", "x-amz-content-sha256")

    override fun answer(head: List<String>, body: ByteArray): Pair<Int, String> {
        val request = HttpRequest.newBuilder(url).POST(HttpRequest.BodyPublishers.ofByteArray(body))
        for (line in head.drop(1)) {
            val name = line.substringBefore(':')
            if (name.lowercase() in passed) request.header(name, line.substringAfter(':').trim())
        }
        val response = client.send(request.build(), BodyHandlers.ofString())
        return response.statusCode() to response.body()
    }
}

/**
 * Stands before [table] and does to requests what networks and busy services do: throttles (which no local DynamoDB does),
 * fails, resets before and after the request was served, stalls. One request in [oneIn] is hit.
 */
class FaultyTable(private val table: Table, private val oneIn: Int, seed: Int) : AutoCloseable {
    private val random = Random(seed)
    private val socket = ServerSocket(0, 200, InetAddress.getLoopbackAddress())
    val url: URI = URI("http://127.0.0.1:${socket.localPort}")
    val open = AtomicInteger()
    val faults = AtomicInteger()

    @Volatile
    var isCalm = false

    init {
        thread(isDaemon = true) {
            while (!socket.isClosed) {
                val client = try {
                    socket.accept()
                } catch (_: IOException) {
                    break
                }
                thread(isDaemon = true) { serve(client) }
            }
        }
    }

    private fun serve(client: Socket) {
        open.incrementAndGet()
        try {
            client.use {
                val input = it.getInputStream().buffered()
                do {
                    val isOpen = one(input, it)
                } while (isOpen)
            }
        } catch (_: IOException) {
            // The client has gone.
        } finally {
            open.decrementAndGet()
        }
    }

    private fun one(input: InputStream, client: Socket): Boolean {
        val head = generateSequence { line(input) }.takeWhile { it.isNotEmpty() }.toList()
        if (head.isEmpty()) return false
        val length = head.first {
            it.startsWith("Content-Length:", ignoreCase = true)
        }.substringAfter(':').trim().toInt()
        val body = input.readNBytes(length)
        if (body.size < length) return false
        val dice = synchronized(random) { if (isCalm) -1 else random.nextInt(oneIn * FAULTS) }
        if (dice in 0 until FAULTS) faults.incrementAndGet()
        when (dice) {
            0 -> return reset(client)

            1 -> {
                table.answer(head, body)
                return reset(client)
            }

            2 -> reply(client, 400 to Protocol.JSON.error("ProvisionedThroughputExceededException"))

            3 -> reply(client, 500 to "")

            4 -> {
                table.answer(head, body)
                // Until the client's own limit cuts the attempt off.
                input.read()
                return false
            }

            else -> reply(client, table.answer(head, body))
        }
        return true
    }

    private fun reset(client: Socket): Boolean {
        client.setSoLinger(true, 0)
        return false
    }

    private fun reply(client: Socket, answer: Pair<Int, String>) {
        val (status, body) = answer
        val bytes = body.encodeToByteArray()
        val type = "Content-Type: ${Protocol.JSON.contentType}"
        val head = "HTTP/1.1 $status X\r\n$type\r\nContent-Length: ${bytes.size}\r\n\r\n"
        client.getOutputStream().run {
            write(head.encodeToByteArray() + bytes)
            flush()
        }
    }

    private fun line(input: InputStream): String? {
        val text = StringBuilder()
        while (true) {
            val byte = input.read()
            if (byte < 0) return if (text.isEmpty()) null else throw EOFException()
            if (byte == '\n'.code) return text.toString().removeSuffix("\r")
            text.append(byte.toChar())
        }
    }

    override fun close() = socket.close()

    private companion object {
        const val FAULTS = 5
    }
}
