package dev.reprise.aws.java

import dev.reprise.build.WaitingSpec
import io.kotest.assertions.withClue
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import java.io.InputStream
import java.net.InetAddress
import java.net.ServerSocket
import java.net.Socket
import java.net.URI
import java.util.concurrent.atomic.AtomicInteger
import kotlin.concurrent.thread

/** How a good answer ends in its middle, or before its body begins. */
private enum class Break(val isChunked: Boolean, val isReset: Boolean, val hasBody: Boolean = true) {
    RESET(false, true),
    CLOSED(false, false),
    CHUNKED_RESET(true, true),
    CHUNKED_CLOSED(true, false),
    HEAD_RESET(false, true, false),
    HEAD_CLOSED(false, false, false),
    HEAD_CHUNKED_RESET(true, true, false),
}

/** Answers the first request by [first], which gets the good body, and every later one well. */
internal class BreakingServer(
    private val protocol: Protocol,
    private val first: BreakingServer.(Socket, String) -> Unit,
) : AutoCloseable {
    private val server = ServerSocket(0, 50, InetAddress.getLoopbackAddress())
    private val count = AtomicInteger()
    val requests: Int get() = count.get()
    val url: URI = URI("http://127.0.0.1:${server.localPort}")

    init {
        thread(isDaemon = true) {
            runCatching { while (true) server.accept().let { thread(isDaemon = true) { runCatching { serve(it) } } } }
        }
    }

    private fun serve(socket: Socket) = socket.use {
        while (readRequest(it.getInputStream())) {
            if (count.incrementAndGet() == 1) {
                first(it, protocol.good)
            } else {
                write(it, "Content-Length: ${protocol.good.length}", protocol.good)
            }
        }
    }

    fun write(socket: Socket, header: String, body: String) = socket.getOutputStream().run {
        write(
            "HTTP/1.1 200 OK\r\nContent-Type: ${protocol.contentType}\r\n$header\r\n\r\n$body".toByteArray(
                Charsets.ISO_8859_1,
            ),
        )
        flush()
    }

    private fun readRequest(input: InputStream): Boolean {
        val head = StringBuilder()
        while (!head.endsWith("\r\n\r\n")) {
            val next = input.read()
            if (next < 0) return false
            head.append(next.toChar())
        }
        val length = Regex("(?i)content-length: (\\d+)").find(head)?.groupValues?.get(1)?.toInt() ?: 0
        input.readNBytes(length)
        return true
    }

    override fun close() = server.close()
}

/** A connection that breaks in the middle of a good answer is a broken connection, on every protocol and client. */
class BrokenBodyTest :
    WaitingSpec({
        val services = Service.entries.filter { it.isThere }

        /** Fails one call of [service] over [face] as the server does, by the plugin, or with [strategy], or as the SDK's own client. */
        fun failure(
            service: Service,
            face: Face,
            server: BreakingServer,
            isPlugin: Boolean,
            strategy: RepriseRetryStrategy?,
        ) = face.client(service, server.url, strategy?.plugin()?.takeIf { isPlugin }, strategy?.takeUnless { isPlugin })
            .use { failureOf { service.call(it) } }

        fun failure(service: Service, face: Face, server: BreakingServer): Throwable? =
            failure(service, face, server, true, RepriseRetryStrategy.standard())

        /** A server that breaks its first answer as [end] says. */
        fun breaking(service: Service, end: Break) = BreakingServer(service.protocol) { socket, good ->
            val part = if (end.hasBody) good.take(good.length / 2) else ""
            if (end.isChunked) {
                val chunk = if (part.isEmpty()) "" else "${part.length.toString(16)}\r\n$part\r\n"
                write(socket, "Transfer-Encoding: chunked", chunk)
            } else {
                write(socket, "Content-Length: ${good.length}", part)
            }
            // A real socket: the client has to read the part before the reset, and nothing tells when it has.
            Thread.sleep(100)
            if (end.isReset) socket.setSoLinger(true, 0)
            socket.close()
        }

        test("what only the plugin, or only Reprise, retries is as docs/aws.md has it") {
            val strategy = RepriseRetryStrategy.standard()
            for (face in Face.entries.filterNot { it.isAsync }) {
                for ((end, aloneIsFinal) in mapOf(Break.RESET to false, Break.HEAD_RESET to true)) {
                    for ((isPlugin, own) in listOf(true to strategy, false to strategy, false to null)) {
                        val server = breaking(Service.S3, end)
                        server.use { failure(Service.S3, face, it, isPlugin, own) }
                        val isFinal = own == null || (!isPlugin && aloneIsFinal)
                        withClue("$face $end $isPlugin $own") { server.requests shouldBe if (isFinal) 1 else 2 }
                    }
                }
            }
        }

        for (face in Face.entries) {
            test("a broken connection is retried: $face") {
                for (service in services) {
                    for (end in Break.entries) {
                        // Netty's client takes the end of the connection for the end of a chunked body.
                        if (face == Face.NETTY && end == Break.CHUNKED_CLOSED && service.isXml) continue
                        val server = breaking(service, end)
                        withClue("$service $end") {
                            server.use { failure(service, face, it).shouldBeNull() }
                            server.requests shouldBe 2
                        }
                    }
                }
            }

            test("an XML document that is whole by its length, but wrong, is final: $face") {
                for (service in listOf(Service.S3, Service.STS)) {
                    for (wrong in listOf<(String) -> String>(
                        { it.take(it.length / 2) },
                        { "\u00ff" + it },
                        { it.replaceFirst(">", ">\u00e4") },
                        { it.replaceFirst(">", "><b></a>") },
                        { "{}" },
                    )) {
                        val server = BreakingServer(service.protocol) { socket, good ->
                            wrong(good).let { write(socket, "Content-Length: ${it.length}", it) }
                        }
                        withClue("$service ${wrong(service.protocol.good)}") {
                            server.use { failure(service, face, it).shouldNotBeNull() }
                            server.requests shouldBe 1
                        }
                    }
                }
            }
        }
    })
