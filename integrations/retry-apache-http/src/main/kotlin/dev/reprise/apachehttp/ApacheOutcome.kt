package dev.reprise.apachehttp

import dev.reprise.core.shell.http.BodyPeek
import dev.reprise.core.shell.http.ReadOutcome
import dev.reprise.java.JavaWaiter
import dev.reprise.java.internal.Elsewhere
import dev.reprise.java.internal.ExchangeLimit
import dev.reprise.java.internal.ReadAhead
import dev.reprise.java.internal.Timers
import org.apache.hc.core5.concurrent.Cancellable
import org.apache.hc.core5.http.ClassicHttpResponse
import org.apache.hc.core5.http.Header
import java.io.InputStream
import java.time.Duration

/**
 * A response as the classifiers see it: the result of an attempt, also in listeners' events. Its head, and the bytes
 * that were read of its body, stay readable when the response is rejected and closed.
 */
public class ApacheOutcome internal constructor(
    internal val response: ClassicHttpResponse,
    peek: BodyPeek,
    private val isPacked: Boolean,
    private val cut: Cancellable,
    time: ExchangeLimit?,
) : ReadOutcome(System.currentTimeMillis()) {
    override val status: Int = response.code

    private val ahead: ReadAhead? = readAhead(peek.bytesOf(status), time)

    override val read: ByteArray? get() = ahead?.bytes()

    /** Not of a body that was compressed and is unpacked already. */
    override val isWhole: Boolean get() = ahead?.isWhole == true && !isPacked

    /** All headers of the response. */
    public val headers: List<Header> get() = response.headers.asList()

    override fun header(name: String): String? = response.getFirstHeader(name)?.value

    /** Reads what the policy looks at. A good body may be a stream without end: not that. */
    private fun readAhead(limit: Int, time: ExchangeLimit?): ReadAhead? {
        val body = response.entity
        if (body == null || limit == 0 || (!isFailure && body.contentLength !in 0..limit)) return null
        val source = ReadAhead.Source { body.content.let { time?.over(it) ?: it } }
        return ReadAhead.of(source, body.contentLength, limit, isFailure)
    }

    /** Whether there may be something of the body that was not read. */
    internal val isOpen: Boolean get() = ahead?.isWhole != true && response.entity != null

    /** Hands the response to the caller, who reads what was read, then the rest within [limit]. */
    internal fun deliver(limit: ExchangeLimit?): ClassicHttpResponse {
        val entity = response.entity
        if (entity == null || (ahead == null && limit == null)) return response
        val body = ahead?.body(limit) ?: limit!!.over(entity.content)
        response.entity = ReadEntity(entity, body) { limit?.close() }
        return response
    }

    /**
     * Releases the response. Its connection is used again if the rest of the body is short and there at once, and closed otherwise:
     * the client itself would read on to the end. Never throws.
     */
    internal fun drop() {
        val isLong = !isOpen || ahead != null || response.entity.contentLength > MOST_DRAINED
        val timer = if (isLong) null else Elsewhere.after(JavaWaiter.SYSTEM, LONGEST_DRAIN, cut::cancel)
        try {
            val body = if (isLong) null else response.entity.content
            if (isOpen && body?.let(::drains) != true) cut.cancel()
            response.close()
        } catch (_: Exception) {
            cut.cancel()
        } finally {
            Timers.stop(timer)
        }
    }

    private fun drains(body: InputStream): Boolean {
        val part = ByteArray(PART)
        var left = MOST_DRAINED
        while (left > 0) {
            val size = body.read(part)
            if (size < 0) return true
            left -= size
        }
        return false
    }
}

private const val PART = 8 * 1024

/** As much as the other faces drain at most. */
private const val MOST_DRAINED = 64L * 1024
private val LONGEST_DRAIN: Duration = Duration.ofMillis(100)
