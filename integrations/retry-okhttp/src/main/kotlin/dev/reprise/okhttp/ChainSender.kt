package dev.reprise.okhttp

import dev.reprise.core.Attempt
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import okhttp3.Call
import okhttp3.Connection
import okhttp3.EventListener
import okhttp3.Interceptor
import okhttp3.Protocol
import okhttp3.Request
import okhttp3.Response
import okio.Timeout
import java.io.IOException
import java.net.SocketException
import java.util.concurrent.TimeUnit.MILLISECONDS
import java.util.concurrent.TimeUnit.NANOSECONDS

/**
 * Sends attempts down the chain of an interceptor. For OkHttp all of them are one call, so an attempt cannot be
 * cancelled alone: its timeouts are shortened to its limit, and on HTTP/1 its socket is closed when the time is up.
 */
internal class ChainSender(private val chain: Interceptor.Chain, private val plan: Plan) :
    EventListener(),
    Sender {
    @Volatile
    private var connection: Connection? = null

    @Volatile
    private var action: (() -> Unit)? = null
    private var isListening = false

    /** The attempt that may be cut: another has this one's connection when it is over. */
    private var running: Attempt? = null

    /** The chain of the attempt if that has a limit. */
    private var limited: Interceptor.Chain? = null

    override val repeatsByItself: Boolean get() = chain.retryOnConnectionFailure

    override fun isCanceled(): Boolean = chain.call().isCanceled()

    override val mayRunTwice: Boolean get() = false

    override fun send(request: Request, attempt: Attempt, sent: SentRequests?): Response {
        synchronized(this) { running = attempt }
        sent?.let(chain.call()::addEventListener)
        val isOff = !plan.allowsOwnRepeats(attempt) && chain.retryOnConnectionFailure
        val chain = if (isOff) chain.withRetryOnConnectionFailure(false) else chain
        val left = attempt.timeLeftNanos
        limited = null
        if (left == UNLIMITED_NANOS) return chain.proceed(request)
        listen()
        return chain.within(left, request.body?.isDuplex() == true).also { limited = it }.proceed(request)
    }

    override fun release(response: Response) {
        val limited = limited ?: return
        val upgraded = response.socket
        val source = upgraded?.source ?: response.body.source()
        source.timeout().change(limited.readTimeoutMillis(), chain.readTimeoutMillis())
        upgraded?.sink?.timeout()?.change(limited.writeTimeoutMillis(), chain.writeTimeoutMillis())
        // OkHttp takes its own off a socket that is upgraded. A connection that was released is another call's.
        val used = if (upgraded == null) connection else null
        if (used?.isHttp1() != true) return
        val socket = used.socket()
        try {
            if (socket.soTimeout == limited.readTimeoutMillis()) socket.soTimeout = chain.readTimeoutMillis()
        } catch (_: SocketException) {
            // It is closed: the caller finds that when he reads.
        }
    }

    /** Changes this from [limit], that of the attempt. Any other value was set by an interceptor below, and stays. */
    private fun Timeout.change(limit: Int, millis: Int) {
        if (timeoutNanos() == MILLISECONDS.toNanos(limit.toLong())) timeout(millis.toLong(), MILLISECONDS)
    }

    /** A body that [isDuplex] is written by the caller, also when the attempt is over. */
    private fun Interceptor.Chain.within(nanos: Long, isDuplex: Boolean): Interceptor.Chain {
        val millis = (NANOSECONDS.toMillis(nanos) + BACKSTOP).coerceAtMost(Int.MAX_VALUE.toLong()).toInt()
        val reading = withConnectTimeout(shorter(connectTimeoutMillis(), millis), MILLISECONDS)
            .withReadTimeout(shorter(readTimeoutMillis(), millis), MILLISECONDS)
        return if (isDuplex) reading else reading.withWriteTimeout(shorter(writeTimeoutMillis(), millis), MILLISECONDS)
    }

    /** OkHttp writes 0 for no timeout. */
    private fun shorter(timeout: Int, limit: Int) = if (timeout == 0) limit else minOf(timeout, limit)

    @Synchronized
    override fun cut(attempt: Attempt) {
        if (running !== attempt) return
        running = null
        val used = connection ?: return
        // A connection of HTTP/2 is not this attempt's alone. There one read timeout covers the wait for a head.
        if (!used.isHttp1()) return
        try {
            // Without this, closing a TLS socket waits for a writer that the server keeps waiting.
            used.socket().setSoLinger(true, 0)
            used.socket().close()
        } catch (_: IOException) {
            // It is closed anyway.
        }
    }

    private fun Connection.isHttp1() = protocol() == Protocol.HTTP_1_1 || protocol() == Protocol.HTTP_1_0

    override fun onCancel(action: () -> Unit) {
        if (this.action != null) return
        this.action = action
        listen()
        if (isCanceled()) action()
    }

    private fun listen() {
        if (!isListening) chain.call().addEventListener(this)
        isListening = true
    }

    override fun connectionAcquired(call: Call, connection: Connection) {
        this.connection = connection
    }

    override fun connectionReleased(call: Call, connection: Connection) {
        this.connection = null
    }

    override fun canceled(call: Call) {
        action?.invoke()
    }
}

/** The attempt's own limit fires first, and says so; OkHttp's timeouts end what it cannot cut. In ms. */
private const val BACKSTOP = 20L
