package dev.reprise.lab.demo

import dev.reprise.faults.FaultServer
import dev.reprise.faults.Replies
import dev.reprise.faults.Reply
import dev.reprise.faults.Script
import io.ktor.http.HttpStatusCode
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger

/** Starts a server that answers each path by a script, one reply a request; the last reply of a script repeats. */
internal fun faultyServer(scripts: Map<String, List<Reply>>): FaultServer {
    val asked = ConcurrentHashMap<String, AtomicInteger>()
    return FaultServer(
        Script { _, request ->
            val count = asked.computeIfAbsent(request.path()) { AtomicInteger() }.getAndIncrement()
            val script = scripts[request.path()] ?: listOf(answer(404))
            script[minOf(count, script.lastIndex)]
        },
    )
}

/** Answers with [status] and [headers], and ends the connection. */
internal fun answer(status: Int, vararg headers: String): Reply =
    Replies.status(status, "", "Connection: close", *headers)

/**
 * Resets in the middle of the answer: before it, the JDK's HTTP client would repeat a GET on its own, and no figure
 * would show that.
 */
internal val RESET = Reply { connection ->
    connection.getOutputStream().write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nOnce".toByteArray())
    Thread.sleep(UNTIL_READ_MILLIS)
    Replies.reset().to(connection)
}

/** A reset may overtake the bytes that were sent before it. */
private const val UNTIL_READ_MILLIS = 20L

/** The text that HTTP has for [status]. */
internal fun reasonPhrase(status: Int): String = HttpStatusCode.fromValue(status).description
