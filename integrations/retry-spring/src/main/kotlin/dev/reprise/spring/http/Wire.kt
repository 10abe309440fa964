package dev.reprise.spring.http

import dev.reprise.java.internal.Elsewhere
import org.springframework.http.client.ClientHttpResponse
import java.io.IOException
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit.MILLISECONDS

/**
 * The exchange of one attempt, which any thread may end. Spring closes a response by reading its body to the end, which may
 * never come; with Apache's client even closing the body reads on. So the request is cancelled first where that
 * [can be][CuttableClient], then the body is closed, then the response.
 */
internal class Wire(private var response: ClientHttpResponse? = null) {
    private var cancel: (() -> Unit)? = null
    private var opened: WireBody? = null
    private var isCut = false

    /** Whether closing the response reads its body to the end, and the request cannot be cancelled. */
    val isUncuttable: Boolean
        @Synchronized get() = cancel == null && response?.javaClass?.name == APACHE_RESPONSE

    /** Returns the response of [send], which this thread makes. */
    fun sending(send: () -> ClientHttpResponse): ClientHttpResponse {
        val outer = CURRENT.get()
        CURRENT.set(this)
        try {
            return send().also { came -> synchronized(this) { response = came } }
        } finally {
            if (outer == null) CURRENT.remove() else CURRENT.set(outer)
        }
    }

    /** Sets what cancels the request. Does so at once if the exchange was cut before. */
    fun onCut(cancel: () -> Unit) {
        val isLate = synchronized(this) {
            this.cancel = cancel
            isCut
        }
        if (isLate) quietly(cancel)
    }

    /** The body of [response], which this thread opens, or which it has opened before. It is closed if the exchange was cut. */
    fun bodyOf(response: ClientHttpResponse): WireBody {
        synchronized(this) { opened }?.let { return it }
        // Not under the lock: the cut must not wait for a client below.
        val body = WireBody(response.body)
        val isLate = synchronized(this) {
            opened = body
            isCut
        }
        if (isLate) quietly(body::close)
        return body
    }

    /** Ends the exchange now. May block. */
    fun cut() {
        val (cancel, response, opened) = synchronized(this) {
            isCut = true
            Triple(cancel, response, opened)
        }
        quietly { cancel?.invoke() }
        if (response == null) return
        quietly { (opened ?: response.body).close() }
        repeat(MOST_CLOSES) {
            if (quietly { response.close() }) return
            Thread.sleep(1)
        }
    }

    /**
     * Ends the exchange if it has a response, or may get one, and returns when that is done, or after [LONGEST_DROP_MILLIS].
     * Never throws.
     */
    fun drop() {
        // An interrupt ends the wait for the response of Jetty or Netty, and not the request.
        val isNothing = synchronized(this) {
            isCut = true
            response == null && cancel == null
        }
        if (isNothing) return
        val done = CountDownLatch(1)
        Elsewhere.run {
            try {
                cut()
            } finally {
                done.countDown()
            }
        }
        try {
            done.await(LONGEST_DROP_MILLIS, MILLISECONDS)
        } catch (_: InterruptedException) {
            Thread.currentThread().interrupt()
        }
    }

    companion object {
        /** A connection that is not closed by then is closed while the call goes on. */
        private const val LONGEST_DROP_MILLIS = 100L

        /** Reactor Netty refuses to close a body whose first event is under way. */
        private const val MOST_CLOSES = 1_000

        private const val APACHE_RESPONSE = "org.springframework.http.client.HttpComponentsClientHttpResponse"

        private val CURRENT = ThreadLocal<Wire>()

        /** The exchange whose request this thread sends, if it is an attempt's. */
        val current: Wire? get() = CURRENT.get()

        /** Runs [close], and returns whether it can be done with: nothing of the response is delivered. */
        fun quietly(close: () -> Unit): Boolean = try {
            close()
            true
        } catch (_: IOException) {
            true
        } catch (_: RuntimeException) {
            false
        }
    }
}
