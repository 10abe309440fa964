package dev.reprise.okhttp

import dev.reprise.faults.FaultServer
import dev.reprise.faults.Replies
import dev.reprise.faults.Seen

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

    /** Sends the [parts] with a pause of [millis] between them; the connection stays. */
    class Pausing(val millis: Long, vararg val parts: String) : Reply

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

private fun Reply.onWire(): dev.reprise.faults.Reply = when (this) {
    is Reply.Raw -> Replies.raw(text, !andClose)

    Reply.Close -> Replies.hangUp()

    Reply.Reset -> Replies.reset()

    is Reply.Pausing -> Replies.pausing(millis, *parts)

    is Reply.Stall -> dev.reprise.faults.Reply { connection ->
        Replies.raw(text, true).to(connection)
        Replies.stall().to(connection)
    }

    is Reply.Drip -> dev.reprise.faults.Reply { connection ->
        val output = connection.getOutputStream()
        output.write("HTTP/1.1 200 OK\r\nX: ".encodeToByteArray())
        while (true) {
            output.write('x'.code)
            Thread.sleep(everyMillis)
        }
        @Suppress("UNREACHABLE_CODE")
        false
    }
}

/** A [FaultServer]: [answer] says what to do with request number n, from 0. */
class RawServer(private val answer: (n: Int, request: Seen) -> Reply) : AutoCloseable {
    constructor(vararg replies: Reply) : this({ n, _ -> replies[minOf(n, replies.size - 1)] })

    private val server = FaultServer { n, request -> answer(n, request).onWire() }
    val url: String = "${server.uri()}"
    val requests: List<Seen> get() = server.requests()
    val connections: Int get() = server.connections()

    /** Closes the connections that are open now, not the server. */
    fun closeConnections(): Unit = server.closeConnections()

    override fun close(): Unit = server.close()
}
