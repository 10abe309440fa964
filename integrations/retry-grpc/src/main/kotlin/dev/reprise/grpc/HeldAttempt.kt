package dev.reprise.grpc

import dev.reprise.core.AttemptTimeoutException
import io.grpc.ClientCall
import io.grpc.Deadline
import io.grpc.Metadata
import io.grpc.Status
import java.util.concurrent.CompletableFuture

/**
 * One execution of an attempt: a call of the channel below whose response is held back until the retrier has judged it.
 * Then [deliver] hands it to the caller, and later signals pass through.
 *
 * The [stage] ends with the response: of a unary call with all of it, of a stream with its first message or its end.
 */
internal class HeldAttempt<R>(
    private val call: RetryingClientCall<*, R>,
    private val caller: Caller<R>,
    private val number: Int,
    private val limitNanos: Long,
    /** The first execution of the attempt, if this is the copy; else `null`. */
    val original: HeldAttempt<R>?,
    private val isStream: Boolean,
    private val sentWatch: SentWatch?,
    /** The attempt's own deadline, if it comes before the call's; otherwise `null`. */
    private val deadline: Deadline?,
) : ClientCall.Listener<R>() {
    /** The call of the channel below, once it is there. */
    lateinit var sent: ClientCall<*, R>

    val stage: CompletableFuture<GrpcResponse> = object : CompletableFuture<GrpcResponse>() {
        override fun cancel(mayInterruptIfRunning: Boolean): Boolean {
            val isCancelled = super.cancel(mayInterruptIfRunning)
            if (isCancelled) call.cancel(this@HeldAttempt)
            return isCancelled
        }
    }

    /** The thread that brought the end of [stage]: the caller's listener may be called there. */
    @Volatile
    var thread: Thread? = null
        private set

    /** The failure of [stage]. */
    @Volatile
    var failure: Throwable? = null
        private set

    // Guarded by this until the response passes through. Ended parts are no longer changed.
    private var headers: Metadata? = null
    private val messages = ArrayDeque<R>(1)
    private var status: Status? = null
    private var trailers: Metadata? = null
    private var ending: Runnable? = null

    @Volatile
    private var passes = false

    override fun onHeaders(headers: Metadata) {
        if (headers.containsKey(Pushback.PREVIOUS_ATTEMPTS)) call.ownRetriesSeen()
        if (!isHeld { this.headers = headers }) caller.listener.onHeaders(headers)
    }

    override fun onMessage(message: R) {
        var isFirst = false
        val isHeld = isHeld {
            isFirst = messages.isEmpty()
            messages += message
        }
        if (!isHeld) return caller.listener.onMessage(message)
        if (isStream && isFirst) completes(message)
    }

    override fun onClose(status: Status, trailers: Metadata) {
        var message: R? = null
        var ending: Runnable? = null
        val isHeld = isHeld {
            message = messages.firstOrNull()
            ending = this.ending
            this.status = status
            this.trailers = trailers
        }
        if (!isHeld) return caller.listener.onClose(status, trailers)
        ending?.let { return it.run() }
        if (status.isOk) completes(message) else fails(failureOf(status, trailers))
    }

    override fun onReady() {
        if (passes) caller.listener.onReady()
    }

    /** Runs [hold] and returns true if the response is held back; returns false if it passes through. */
    private inline fun isHeld(hold: () -> Unit): Boolean {
        if (passes) return false
        synchronized(this) {
            if (passes) return false
            hold()
        }
        return true
    }

    private fun completes(message: R?) {
        thread = Thread.currentThread()
        stage.complete(GrpcResponse(message, this))
    }

    private fun fails(failure: Throwable) {
        thread = Thread.currentThread()
        this.failure = failure
        stage.completeExceptionally(failure)
    }

    /** A deadline that was this attempt's alone is a timeout of the retrier's, like one that its timer notices first. */
    private fun failureOf(status: Status, trailers: Metadata): Throwable {
        val failure = AttemptFailure(status, trailers, sentWatch?.isSent == false)
        val isOurs = status.code == Status.Code.DEADLINE_EXCEEDED && deadline?.isExpired == true && !call.isExpired
        if (!isOurs) return failure
        val first = original ?: this
        // Not as its cause: classifiers look through causes, and the retrier's timer, if that is first, brings none.
        return AttemptTimeoutException(first.number, first.limitNanos).also { it.addSuppressed(failure) }
    }

    /** This or its [original], of which the first is returned for which [condition] holds. */
    inline fun execution(condition: (HeldAttempt<R>) -> Boolean): HeldAttempt<R>? =
        if (condition(this)) this else original?.takeIf(condition)

    /** Returns true if the attempt is still running: its end then runs [end], which [endsCall], in place of ending the [stage]. */
    fun endsWith(end: Runnable): Boolean = synchronized(this) {
        if (status != null) return false
        ending = end
        true
    }

    /** The call ends with [failure], and with the end of this attempt that has come till now. */
    fun endsCall(failure: Throwable) {
        val (status, trailers) = synchronized(this) { status to trailers }
        call.closes(failure, status, trailers)
    }

    /** Hands the response to the caller's listener, its end with [cause] unless that is null. Once. */
    fun deliver(cause: Throwable?) {
        try {
            deliverHeld()
        } catch (e: Throwable) {
            // As gRPC does: a listener that throws cancels its call.
            return call.listenerThrew(this, e)
        }
        val end = status ?: return
        caller.close(if (cause == null) end else end.withCause(cause), trailers!!)
    }

    /** Hands over what is held until nothing is left, or until the end. */
    private fun deliverHeld() {
        // They came before the message, or before the end.
        headers?.let(caller.listener::onHeaders)
        headers = null
        while (true) {
            val message = synchronized(this) {
                val first = messages.removeFirstOrNull()
                if (first == null && status == null) passes = true
                first
            }
            caller.listener.onMessage(message ?: return)
        }
    }
}
