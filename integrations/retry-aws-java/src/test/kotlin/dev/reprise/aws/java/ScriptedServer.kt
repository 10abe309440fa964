package dev.reprise.aws.java

import com.sun.net.httpserver.HttpExchange
import com.sun.net.httpserver.HttpServer
import java.net.InetAddress
import java.net.InetSocketAddress
import java.net.URI
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicInteger

/** The response of a service: an error with the [code] in the form of its protocol, or a success if the status is 200 and there is no code. */
class Reply(val status: Int, val code: String? = null, val headers: Map<String, String> = emptyMap()) {
    /** Opened by the server when the request is there; the reply then waits for [release]. */
    var hold: CountDownLatch? = null

    companion object {
        val OK = Reply(200)

        /** A reply that waits until [latch] is opened. */
        fun held(latch: CountDownLatch) = Reply(200).apply { hold = latch }
    }
}

class Seen(val headers: Map<String, String>, val at: Long)

/** A server on loopback that plays all services: [answer] says what becomes of request number n, from 0. */
class ScriptedServer(private val protocol: Protocol, private val answer: (n: Int) -> Reply) : AutoCloseable {
    constructor(protocol: Protocol, vararg replies: Reply) : this(protocol, { replies[minOf(it, replies.size - 1)] })

    private val count = AtomicInteger()
    private val workers = Executors.newCachedThreadPool { Thread(it).apply { isDaemon = true } }
    private val server = HttpServer.create(InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0)
    val seen: MutableList<Seen> = CopyOnWriteArrayList()
    val url: URI = URI("http://127.0.0.1:${server.address.port}")

    init {
        server.executor = workers
        server.createContext("/", ::handle)
        server.start()
    }

    private fun handle(exchange: HttpExchange) = exchange.use {
        it.requestBody.readAllBytes()
        seen +=
            Seen(it.requestHeaders.entries.associate { (k, v) -> k.lowercase() to v.joinToString() }, System.nanoTime())
        val reply = answer(count.getAndIncrement())
        reply.hold?.await()
        val isGood = reply.status == 200 && reply.code == null
        val body = (if (isGood) protocol.good else protocol.error(reply.code)).encodeToByteArray()
        reply.headers.forEach(it.responseHeaders::add)
        it.responseHeaders.add("Content-Type", protocol.contentType)
        it.sendResponseHeaders(reply.status, if (body.isEmpty()) -1 else body.size.toLong())
        if (body.isNotEmpty()) it.responseBody.write(body)
    }

    override fun close() {
        server.stop(0)
        workers.shutdownNow()
    }

    private companion object {
        init {
            // Head and body are written apart, and the second would wait 40 ms for the client's acknowledgement.
            System.setProperty("sun.net.httpserver.nodelay", "true")
        }
    }
}

/** How a service says what is wrong. */
enum class Protocol(val contentType: String, val good: String) {
    JSON("application/x-amz-json-1.0", "{}") {
        override fun error(code: String?) = if (code == null) {
            ""
        } else {
            """{"__type":"com.amazonaws#$code","message":"no"}"""
        }
    },
    REST_XML("application/xml", "<ListAllMyBucketsResult></ListAllMyBucketsResult>") {
        override fun error(code: String?) = if (code == null) {
            ""
        } else {
            "<Error><Code>$code</Code><Message>no</Message></Error>"
        }
    },
    QUERY("text/xml", "<R><GetCallerIdentityResult><Arn>a</Arn></GetCallerIdentityResult></R>") {
        override fun error(code: String?) = if (code == null) {
            ""
        } else {
            "<ErrorResponse><Error><Code>$code</Code><Message>no</Message></Error></ErrorResponse>"
        }
    },
    EC2("text/xml", "<R><regionInfo><item><regionName>a</regionName></item></regionInfo></R>") {
        override fun error(code: String?) =
            "<Response><Errors><Error><Code>$code</Code><Message>no</Message></Error></Errors></Response>"
    },

    /** `{"StreamNames": ["aa"], "HasMoreStreams": false}` */
    CBOR("application/x-amz-cbor-1.1", "\u00bfkStreamNames\u009fbaa\u00ffnHasMoreStreams\u00f4\u00ff") {
        override fun error(code: String?) = "\u00bff__typex${code.orEmpty().length.toChar()}$code\u00ff"
    }, ;

    abstract fun error(code: String?): String
}
