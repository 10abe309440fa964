package dev.reprise.ktor

import dev.reprise.faults.FaultServer
import dev.reprise.faults.Replies
import java.io.OutputStream
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit

/** What a [RawServer] does with one request on one connection. */
internal typealias Act = dev.reprise.faults.Reply

/**
 * A [FaultServer] of this host that does [acts] in turn, one for each request, the last one for ever: what a real server does
 * by accident.
 */
internal class RawServer(vararg acts: Act) : AutoCloseable {
    private val server = FaultServer(*acts)

    val url: String = "http://localhost:${server.uri().port}/"

    /** How many requests came. */
    val requests: Int get() = server.requests().size

    /** How many connections were made. */
    val connections: Int get() = server.connections()

    /** How many connections are open now. */
    val openConnections: Int get() = server.openConnections()

    override fun close(): Unit = server.close()
}

private fun OutputStream.send(text: String) {
    write(text.toByteArray())
    flush()
}

private fun head(status: Int, length: Int) = "HTTP/1.1 $status Status\r\nContent-Length: $length\r\n\r\n"

/** A whole answer; the connection stays. */
internal fun answer(status: Int, body: String = ""): Act = Replies.status(status, body)

/** The head of an answer that promises a body which never comes. */
internal fun stallInBody(status: Int): Act = Replies.stallAfter(status, "begin")

/** Nothing at all. */
internal val stall: Act = Replies.stall()

/** [text] as it is, and the end of the connection. */
internal fun raw(text: String): Act = Replies.raw(text, false)

/** The end of the connection instead of an answer. */
internal val hangUp: Act = Replies.hangUp()

/** A reset instead of an answer. */
internal val reset: Act = Replies.reset()

/** A reset in the middle of the body: when the head [isRead], which it would take along, or else after a while. */
internal fun resetInBody(status: Int, isRead: CountDownLatch? = null) = Act {
    it.getOutputStream().send(head(status, 100) + "begin")
    isRead?.await(9, TimeUnit.SECONDS) ?: Thread.sleep(100)
    it.setSoLinger(true, 0)
    false
}

/** An answer after which the connection is closed though the client could keep it. */
internal fun answerAndClose(status: Int): Act = raw(head(status, 0))
