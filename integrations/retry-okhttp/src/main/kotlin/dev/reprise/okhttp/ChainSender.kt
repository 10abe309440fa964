package dev.reprise.okhttp

import dev.reprise.core.Attempt
import dev.reprise.core.Repeat
import dev.reprise.core.time.UNLIMITED_NANOS
import okhttp3.Call
import okhttp3.Connection
import okhttp3.EventListener
import okhttp3.Interceptor
import okhttp3.Protocol
import okhttp3.Request
import okhttp3.Response
import java.io.IOException
import java.util.concurrent.TimeUnit.MILLISECONDS
import java.util.concurrent.TimeUnit.NANOSECONDS

/**
 * Sends attempts down the chain of an interceptor. All of them are one call to OkHttp, so an attempt cannot be
 * cancelled alone: its timeouts are shortened to what it may take, and on HTTP/1 its socket is closed when the time
 * is up.
 */
internal class ChainSender(private val chain: Interceptor.Chain, private val repeat: Repeat) :
    EventListener(),
    Sender {
    @Volatile
    private var connection: Connection? = null

    @Volatile
    private var action: (() -> Unit)? = null
    private var isListening = false

    override val sent = SentRequests.of(repeat)

    override fun isCanceled(): Boolean = chain.call().isCanceled()

    override fun send(request: Request, attempt: Attempt): Response {
        if (sent != null) {
            sent.attemptBegins()
            if (attempt.number == 1) chain.call().addEventListener(sent)
        }
        val chain = chain.withRepeatsFor(attempt)
        val left = attempt.timeLeftNanos
        if (left == UNLIMITED_NANOS) return chain.proceed(request)
        listen()
        val response = chain.within(left).proceed(request)
        // The body is the caller's, with the timeout that he has set.
        if (response.code != SWITCHING) {
            response.body.source().timeout().timeout(chain.readTimeoutMillis().toLong(), MILLISECONDS)
        }
        return response
    }

    /**
     * OkHttp repeats what fails on a kept connection by itself. Where the policy repeats, that would be a second retry
     * beside it. Not so in the last attempt: a pool of stale connections must not eat all attempts.
     */
    private fun Interceptor.Chain.withRepeatsFor(attempt: Attempt): Interceptor.Chain =
        if (repeat == Repeat.SAFE && !attempt.isLast && retryOnConnectionFailure) {
            withRetryOnConnectionFailure(false)
        } else {
            this
        }

    private fun Interceptor.Chain.within(nanos: Long): Interceptor.Chain {
        val millis = (NANOSECONDS.toMillis(nanos) + BACKSTOP).coerceAtMost(Int.MAX_VALUE.toLong()).toInt()
        return withConnectTimeout(shorter(connectTimeoutMillis(), millis), MILLISECONDS)
            .withReadTimeout(shorter(readTimeoutMillis(), millis), MILLISECONDS)
            .withWriteTimeout(shorter(writeTimeoutMillis(), millis), MILLISECONDS)
    }

    /** OkHttp writes 0 for no timeout. */
    private fun shorter(timeout: Int, limit: Int) = if (timeout == 0) limit else minOf(timeout, limit)

    override fun cut() {
        val used = connection ?: return
        // A connection of HTTP/2 is not this attempt's alone. There one read timeout covers the wait for a head.
        if (used.protocol() == Protocol.HTTP_1_1 || used.protocol() == Protocol.HTTP_1_0) {
            try {
                used.socket().close()
            } catch (_: IOException) {
                // It is closed anyway.
            }
        }
    }

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

    private companion object {
        const val SWITCHING = 101

        /** The attempt's own limit fires first, and says so; OkHttp's timeouts end what it cannot cut. In ms. */
        const val BACKSTOP = 20L
    }
}
