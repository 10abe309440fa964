package dev.reprise.aws.kotlin

import com.sun.net.httpserver.HttpExchange
import com.sun.net.httpserver.HttpServer
import java.net.InetAddress
import java.net.InetSocketAddress
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit

/** What the server does with one request. */
sealed interface Reply {
    /** Replies [status], as DynamoDB words an error of [code]. */
    data class Status(val status: Int, val code: String? = null, val headers: Map<String, String> = emptyMap()) : Reply

    /** Replies 200 and closes the connection in the body. */
    data object Cut : Reply

    /** Closes the connection and says nothing. */
    data object Drop : Reply

    /** Says nothing until the server is closed. */
    data object Hang : Reply
}

val OK = Reply.Status(200)

/** A server on loopback that gives [replies] in order, the last one for ever; it speaks DynamoDB's `ListTables`. */
class ScriptedServer(vararg replies: Reply) : AutoCloseable {
    private val script = ConcurrentLinkedQueue(replies.toList())
    private val last = replies.last()
    private val isClosing = CountDownLatch(1)
    private val threads = Executors.newCachedThreadPool()
    private val server = HttpServer.create(InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0)

    /** `amz-sdk-request` of each request that came. */
    val requests = ConcurrentLinkedQueue<String>()

    val url get() = "http://127.0.0.1:${server.address.port}"

    init {
        server.executor = threads
        server.createContext("/") { reply(it) }
        server.start()
    }

    private fun reply(exchange: HttpExchange) = exchange.use {
        exchange.requestBody.readAllBytes()
        requests += exchange.requestHeaders.getFirst("amz-sdk-request").orEmpty()
        when (val reply = script.poll() ?: last) {
            is Reply.Status -> send(exchange, reply)
            Reply.Cut -> cut(exchange)
            Reply.Drop -> Unit
            Reply.Hang -> isClosing.await(1, TimeUnit.MINUTES)
        }
    }

    private fun send(exchange: HttpExchange, reply: Reply.Status) {
        val error = reply.code?.let { """{"__type":"com.amazonaws.dynamodb.v20120810#$it","message":"scripted"}""" }
        val body = (error ?: if (reply.status == 200) """{"TableNames":["a"]}""" else "{}").encodeToByteArray()
        exchange.responseHeaders.add("Content-Type", "application/x-amz-json-1.0")
        for ((name, value) in reply.headers) exchange.responseHeaders.add(name, value)
        exchange.sendResponseHeaders(reply.status, body.size.toLong())
        exchange.responseBody.write(body)
    }

    private fun cut(exchange: HttpExchange) {
        exchange.responseHeaders.add("Content-Type", "application/x-amz-json-1.0")
        exchange.sendResponseHeaders(200, 100)
        exchange.responseBody.write("""{"TableNames":[""".encodeToByteArray())
        exchange.responseBody.flush()
    }

    override fun close() {
        isClosing.countDown()
        server.stop(0)
        threads.shutdownNow()
    }

    private companion object {
        init {
            // Head and body are written apart, and the second would wait 40 ms for the client's acknowledgement.
            System.setProperty("sun.net.httpserver.nodelay", "true")
        }
    }
}
