package dev.reprise.grpc

import dev.reprise.core.Attempt
import dev.reprise.core.Repeat
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.java.AsyncAttempt
import dev.reprise.java.internal.Elsewhere
import dev.reprise.java.internal.Once
import io.grpc.Attributes
import io.grpc.CallOptions
import io.grpc.Channel
import io.grpc.ClientCall
import io.grpc.Context
import io.grpc.Contexts
import io.grpc.Deadline
import io.grpc.Metadata
import io.grpc.MethodDescriptor
import io.grpc.Status
import java.util.concurrent.CancellationException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionStage
import java.util.concurrent.Executor
import java.util.concurrent.TimeUnit

/**
 * A call that is retried, and the attempts of it: each is a call of the channel below. The request is complete when the
 * caller half-closes the call, and the first attempt begins then. gRPC itself calls `onReady` for no such call before that.
 */
internal class RetryingClientCall<Q, R>(
    private val retries: RetryClientInterceptor,
    private val method: MethodDescriptor<Q, R>,
    private val options: CallOptions,
    private val next: Channel,
) : ClientCall<Q, R>(),
    AsyncAttempt<GrpcResponse>,
    Context.CancellationListener {
    private val context: Context = Context.current()
    private val ownDeadline = RetryClientInterceptor.deadlineOf(options, context)
    private val isStream = !method.type.serverSendsOneMessage()

    // The caller's arguments, complete when the call begins.
    private lateinit var caller: Caller<R>
    private lateinit var headers: Metadata
    private var compression: Boolean? = null
    private var hasMessage = false
    private var message: Q? = null
    private var repeat: Repeat? = null
    private var mayBeCopied = false

    // Guarded by this.
    private var requested = 0
    private var last: HeldAttempt<R>? = null
    private var future: CompletableFuture<GrpcResponse>? = null
    private var isHalfClosed = false
    private var cancelled: Status? = null

    /** A stream hands out its first message for good; a unary call that nothing was taken from can be dropped. */
    override fun mayRunTwice(): Boolean = !isStream

    /** A stream's reader may never come back to the executor that he waits on. */
    override fun executor(): Executor? = if (isStream) null else options.executor

    override fun start(listener: Listener<R>, headers: Metadata) {
        synchronized(this) {
            check(!this::caller.isInitialized) { "the call was started before" }
            // It has ended without a listener, and would never tell this one. gRPC's own calls throw the same.
            check(cancelled == null) { "call was cancelled" }
            this.headers = headers
            caller = Caller(listener, context, options.executor)
        }
        // Before the request is complete, and in a wait, no call of the channel notices that the context was cancelled.
        context.addListener(this, DIRECT)
    }

    override fun request(numMessages: Int) {
        require(numMessages >= 0) { "numMessages must not be negative: $numMessages" }
        val attempt = synchronized(this) {
            requested = if (requested > Int.MAX_VALUE - numMessages) Int.MAX_VALUE else requested + numMessages
            last
        }
        attempt?.sent?.request(numMessages)
        attempt?.original?.sent?.request(numMessages)
    }

    override fun setMessageCompression(enabled: Boolean) {
        compression = enabled
    }

    override fun sendMessage(message: Q) {
        check(!hasMessage && !isHalfClosed) { "${method.fullMethodName} sends one message, before it is half-closed" }
        this.message = message
        hasMessage = true
    }

    override fun isReady(): Boolean = synchronized(this) { !isHalfClosed }

    override fun getAttributes(): Attributes = synchronized(this) { last }?.sent?.attributes ?: Attributes.EMPTY

    override fun halfClose() {
        check(this::caller.isInitialized) { "the call was not started" }
        // The rule for idempotent methods may throw: then the call can still be cancelled.
        val retryOptions = retries.optionsOf(method, options, ownDeadline, message)
        synchronized(this) {
            check(!isHalfClosed) { "the call was half-closed before" }
            isHalfClosed = true
            if (cancelled != null) return
        }
        repeat = retryOptions.repeat
        val retrier = retries.retrier()
        mayBeCopied = mayRunTwice() && retrier.policy().hedge != null
        val future = retrier.withOptions(retryOptions).callAsyncWithAttempt(this)
        val cancelled = synchronized(this) {
            this.future = future
            cancelled
        }
        future.whenComplete { response, failure -> ends(response, failure) }
        if (cancelled != null) cancel(future, cancelled)
    }

    // The attempts

    override fun start(attempt: Attempt): CompletionStage<GrpcResponse> {
        val limit = attempt.timeLeftNanos
        // An attempt's limit holds for a stream until its first message, the whole call's to its end.
        val deadline = deadlineIn(if (isStream) attempt.callTimeLeftNanos else limit)
        val isUnsure = repeat == Repeat.IF_UNSENT
        // A retry is watched for the channel's own retries alone.
        val watch = if (isUnsure || attempt.number > 1) SentWatch(this) else null
        val sentWatch = watch.takeIf { isUnsure }
        var of = options
        if (deadline != null) of = of.withDeadline(deadline)
        if (watch != null) of = of.withStreamTracerFactory(watch)
        val original = if (attempt.isCopy) synchronized(this) { last } else null
        val held = HeldAttempt(this, caller, attempt.number, limit, original, isStream, sentWatch, deadline)
        val before = context.attach()
        try {
            val sent = next.newCall(method, of)
            held.sent = sent
            send(sent, held, headersOf(attempt))
        } finally {
            context.detach(before)
        }
        return held.stage
    }

    /** The deadline of an attempt that may take [limit] ns, if that is before the call's own; else `null`. */
    private fun deadlineIn(limit: Long): Deadline? {
        if (limit == UNLIMITED_NANOS) return null
        return Deadline.after(limit, TimeUnit.NANOSECONDS).takeIf { ownDeadline == null || it.isBefore(ownDeadline) }
    }

    private fun send(sent: ClientCall<Q, R>, held: HeldAttempt<R>, headers: Metadata) {
        try {
            sent.start(held, headers)
            val wanted = synchronized(this) {
                last = held
                requested
            }
            if (wanted > 0) sent.request(wanted)
            compression?.let(sent::setMessageCompression)
            if (hasMessage) sent.sendMessage(message)
            sent.halfClose()
        } catch (e: Throwable) {
            sent.cancel("the attempt could not be sent", e)
            throw e
        }
    }

    /** A copy for each attempt, since the channel writes into what it is given. */
    private fun headersOf(attempt: Attempt): Metadata {
        if (attempt.sentNumber == 1 && attempt.isLast && !mayBeCopied) return headers
        val copy = Metadata()
        copy.merge(headers)
        if (attempt.sentNumber > 1) {
            copy.discardAll(Pushback.PREVIOUS_ATTEMPTS)
            copy.put(Pushback.PREVIOUS_ATTEMPTS, (attempt.sentNumber - 1).toString())
        }
        return copy
    }

    override fun discard(result: GrpcResponse) {
        result.attempt.sent.cancel("the response was rejected by the retry policy", null)
    }

    override fun releasesBeforeWait(): Boolean = isStream

    /** Whether the call's own deadline has passed. */
    val isExpired: Boolean get() = ownDeadline?.isExpired == true

    /** Whether the call's own deadline is as good as over. */
    private val isLate: Boolean
        get() = ownDeadline != null && ownDeadline.timeRemaining(TimeUnit.MILLISECONDS) < CLOSE_MILLIS

    fun ownRetriesSeen() = retries.ownRetriesSeen(next.authority())

    /** The retrier cancels [attempt]: the caller wants the call no more, or its time is up. */
    fun cancel(attempt: HeldAttempt<R>) {
        val status = synchronized(this) { cancelled }
        attempt.sent.cancel(status?.description ?: "the attempt took too long", status?.cause)
    }

    // The end

    override fun cancel(message: String?, cause: Throwable?) =
        cancel(Status.CANCELLED.withDescription(message ?: "Call cancelled without message").withCause(cause))

    /** A deadline of the context is the call's, which the retrier and the channel keep once the request is complete. */
    override fun cancelled(context: Context) {
        if (!isExpired || isReady) cancel(Contexts.statusFromCancelled(context))
    }

    private fun cancel(status: Status) {
        val future: CompletableFuture<*>?
        val isOnlyStarted: Boolean
        synchronized(this) {
            isOnlyStarted = cancelled == null && !isHalfClosed && this::caller.isInitialized
            if (cancelled == null) cancelled = status
            future = this.future
        }
        when {
            future != null -> cancel(future, status)

            isOnlyStarted -> {
                context.removeListener(this)
                caller.elsewhere { caller.close(status, Metadata()) }
            }
        }
    }

    /** Cancels [future]; if that has ended, its last attempt has the response. */
    private fun cancel(future: CompletableFuture<*>, status: Status) {
        if (!future.cancel(true)) synchronized(this) { last }?.sent?.cancel(status.description, status.cause)
    }

    /** The retrier has ended the call, with [failure] or with the [response] of one of the executions of the last attempt. */
    private fun ends(response: GrpcResponse?, failure: Throwable?) {
        val latest = synchronized(this) { last }
        context.removeListener(this)
        // A stream may go on for long; its request is not needed any more.
        message = null
        if (failure == null) {
            @Suppress("UNCHECKED_CAST")
            return deliver(response!!.attempt as HeldAttempt<R>, null)
        }
        val failed = latest?.execution { it.failure === failure }
        if (failed != null) return deliver(failed, failure)
        if (latest?.execution { cuts(it, failure) } == null) caller.elsewhere { closes(failure, null, null) }
    }

    /**
     * The call ends with [failure], which is not [attempt]'s. Returns true if that is still running: it is cancelled, and its end,
     * which comes on the call's executor, ends the call. An executor that does not bring it at once is not waited for.
     */
    private fun cuts(attempt: HeldAttempt<R>, failure: Throwable): Boolean {
        val end = Once(context.wrap { attempt.endsCall(failure) })
        if (!attempt.endsWith(end)) return false
        end.runSoonOn({ cancel(attempt) }, Elsewhere::run)
        return true
    }

    /** Hands the end of [execution] to the caller, with its [failure] if that has more to tell than a status. */
    private fun deliver(execution: HeldAttempt<R>, failure: Throwable?) {
        synchronized(this) { last = execution }
        val cause = failure?.takeIf(CallEnds::hasMoreToTell)
        val delivery = { execution.deliver(cause) }
        // The channel chose the thread on which the attempt ended.
        if (execution.thread === Thread.currentThread()) delivery() else caller.elsewhere(delivery)
    }

    /** The call ends with [failure]; its last attempt, if it was cancelled, with [status] and [trailers]. */
    fun closes(failure: Throwable, status: Status?, trailers: Metadata?) {
        val end = CallEnds.statusOf(failure, status, synchronized(this) { cancelled }, isLate)
        caller.close(end, trailers?.takeIf { end === status } ?: Status.trailersFromThrowable(failure) ?: Metadata())
    }

    /** The caller's listener threw [thrown] from a response of [attempt], which is cancelled. */
    fun listenerThrew(attempt: HeldAttempt<R>, thrown: Throwable) {
        val status = Status.CANCELLED.withDescription("Failed to read message.").withCause(thrown)
        synchronized(this) { cancelled = status }
        val cancellation = CancellationException(status.description)
        if (!cuts(attempt, cancellation)) caller.close(status, Metadata())
    }

    override fun toString(): String = "RetryingClientCall(${method.fullMethodName})"
}

private val DIRECT = Executor(Runnable::run)

/** Two timers of one moment are not further apart. */
private const val CLOSE_MILLIS = 20
