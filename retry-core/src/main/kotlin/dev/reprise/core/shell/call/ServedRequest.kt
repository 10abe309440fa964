package dev.reprise.core.shell.call

import dev.reprise.core.NanoClock
import dev.reprise.core.Upstream
import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.firstOfCauses
import dev.reprise.core.shell.layers.GiveUps
import dev.reprise.core.shell.layers.Served
import dev.reprise.core.shell.time.UNLIMITED_NANOS

/**
 * A request that a server is serving, as its plugin for this library sees it. Made when the request comes, visible to
 * every thread that works for it, asked before the response's head is sent.
 *
 * A plugin makes one of [readUpstream][dev.reprise.core.shell.values.readUpstream] and runs the work in [open] (or suspending, in `serving` of retry-coroutines).
 * It reports an exception that reaches it by [failed]. It sets [SHOULD_RETRY][dev.reprise.core.shell.values.SHOULD_RETRY] to
 * `false` on a response if [isRetriedBelow] is true for it.
 *
 * Safe for any number of threads. Costs a process nothing until it makes the first one.
 */
@ShellApi
public class ServedRequest(
    /** The retry headers that the request's caller sent. */
    public val upstream: Upstream,
    private val clock: NanoClock,
) : Served {
    override val attempt: Int get() = upstream.attempt

    private val cameAt = clock.nanoTime()
    private val cameAtTick: Int

    @Volatile
    private var gaveUp = false

    /** The failure that the last call or the work ended with; `null` for none, and for a result. */
    @Volatile
    public var failure: Throwable? = null
        private set

    init {
        isOn = true
        cameAtTick = GiveUps.now()
    }

    /**
     * Reports that the work for this request ended with [failure]. It decides whether the response is [isRetriedBelow]; without
     * it the last call that was made for the request does. If that gave up on this very exception, older marks on it change
     * nothing. [isMarked] is true if the failure stands for a response of another server that said so.
     */
    @JvmOverloads
    public fun failed(failure: Throwable, isMarked: Boolean = false) {
        val isGivenUp = gaveUp && firstOfCauses(failure) { cause -> cause.takeIf { it === this.failure } } != null
        this.failure = failure
        gaveUp = isMarked || isGivenUp || GiveUps.isMarkedByAny(failure, cameAtTick)
    }

    /** Whether a retrier gave up on the failure behind a response of this [status]. Its caller then must not retry. */
    public fun isRetriedBelow(status: Int): Boolean = status >= FIRST_SERVER_ERROR && isRetriedBelow

    /** [isRetriedBelow] of a failure that has no HTTP status. */
    public val isRetriedBelow: Boolean get() = gaveUp

    /** Serves this request on the calling thread until the returned scope is closed, on the same thread. */
    public fun open(): Scope {
        val before = putOnThread(this)
        return Scope { putOnThread(before) }
    }

    /** How long the caller still waits, in ns; zero or less if no longer, [UNLIMITED_NANOS] if it did not say. */
    internal fun timeLeftNanos(): Long {
        val limit = upstream.limitNanos
        return if (limit == UNLIMITED_NANOS) limit else limit - (clock.nanoTime() - cameAt)
    }

    /** A call for this request begins. */
    internal fun callBegins() = callEnded(gaveUp = false, failure = null)

    /** A call for this request has ended, with [failure] unless that is `null`; a retrier [gaveUp]. */
    internal fun callEnded(gaveUp: Boolean, failure: Throwable?) {
        this.failure = failure
        this.gaveUp = gaveUp
    }

    override fun toString(): String = "serving $upstream"

    /** Work of one thread for a request; to be closed on that thread. */
    public fun interface Scope : AutoCloseable {
        override fun close()
    }

    public companion object {
        private const val FIRST_SERVER_ERROR = 500

        /** Whether this process has ever served a request: as long as it has not, a call looks no further. */
        @Volatile
        private var isOn = false

        private val onThread = ThreadLocal<ServedRequest?>()

        /** The request that the calling thread works for, or `null`. */
        @JvmStatic
        public fun current(): ServedRequest? = if (isOn) onThread.get() else null

        /** Makes the calling thread work for [request], or for none if that is `null`. Returns the one it worked for before. */
        @JvmStatic
        public fun putOnThread(request: ServedRequest?): ServedRequest? {
            val before = onThread.get()
            if (request == null) onThread.remove() else onThread.set(request)
            return before
        }
    }
}
