package dev.reprise.okhttp

import dev.reprise.core.Attempt
import okhttp3.Call
import okhttp3.Callback
import okhttp3.EventListener
import okhttp3.Request
import okhttp3.Response
import okio.AsyncTimeout
import okio.Timeout
import java.io.IOException
import java.io.InterruptedIOException
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.TimeUnit.NANOSECONDS
import java.util.concurrent.atomic.AtomicBoolean

/** A call whose attempts are calls. The [first] of them is there from the beginning and holds the tags. */
internal class RetryingCall private constructor(
    private val factory: RetryingCallFactory,
    private val plan: Plan,
    private val first: Call,
) : Call by first,
    Sender {
    constructor(factory: RetryingCallFactory, request: Request, plan: Plan) :
        this(factory, plan, factory.clientFor(plan.ownRepeats.areAllowed(isLast = false)).newCall(request))

    private val wasExecuted = AtomicBoolean()
    private val listeners = CopyOnWriteArrayList<EventListener>()
    private val limit =
        object : AsyncTimeout() {
            override fun timedOut() = this@RetryingCall.cancel()

            /** A reader of an event stream takes the call's time off its body, which has that of its own call. */
            override fun cancel() {
                super.cancel()
                running.forEach { it.call.timeout().cancel() }
            }
        }.apply { timeout(first.timeout().timeoutNanos(), NANOSECONDS) }

    private var startedAt = 0L

    @Volatile
    private var isCanceled = false

    /** The executions of the attempt under way, or of the last one. */
    @Volatile
    private var running = emptyList<Running>()

    @Volatile
    private var action: (() -> Unit)? = null

    /** When the whole call's time is up; `null` for never. */
    private val endsAt: Long?
        get() {
            val own = if (limit.hasDeadline()) limit.deadlineNanoTime() else null
            val whole = limit.timeoutNanos()
            val end = startedAt + whole
            return if (whole == 0L || (own != null && own - end < 0)) own else end
        }

    override fun execute(): Response {
        begin()
        val response =
            try {
                BlockingExchange(plan, request(), this).execute()
            } catch (e: IOException) {
                throw end(e)
            } catch (e: Throwable) {
                limit.exit()
                throw e
            }
        return end(response)
    }

    override fun enqueue(responseCallback: Callback) {
        begin()
        AsyncExchange(plan, this).enqueue(Delivery(this, responseCallback))
    }

    private fun begin() {
        check(wasExecuted.compareAndSet(false, true)) { "Already Executed" }
        startedAt = System.nanoTime()
        limit.enter()
    }

    /** The call ends with [response], unless its time is up: the response's call is cancelled then. */
    fun end(response: Response): Response {
        if (!limit.exit()) return response
        response.close()
        throw InterruptedIOException("timeout")
    }

    /** The call ends with [failure], or, if its time is up, with OkHttp's exception for that. */
    fun end(failure: IOException): IOException =
        if (limit.exit()) InterruptedIOException("timeout").apply { initCause(failure) } else failure

    /** The call of [attempt], whose requests [sent] counts. It may take what is left of the whole call's time, its body included. */
    fun newAttempt(request: Request, attempt: Attempt, sent: SentRequests?): Call {
        val areAllowed = plan.allowsOwnRepeats(attempt)
        val isMadeAlready = attempt.number == 1 && request === first.request() &&
            areAllowed == plan.ownRepeats.areAllowed(isLast = false)
        val call = if (isMadeAlready) first else factory.clientFor(areAllowed).newCall(request)
        // A timeout would begin when the dispatcher runs the call.
        call.timeout().timeout(0, NANOSECONDS)
        endsAt?.let(call.timeout()::deadlineNanoTime)
        sent?.let(call::addEventListener)
        listeners.forEach(call::addEventListener)
        runs(Running(attempt, call))
        if (isCanceled) call.cancel()
        return call
    }

    /** Adds [next] to the executions of its attempt: a first one and its copy begin in any order. */
    @Synchronized
    private fun runs(next: Running) {
        val isOfFirst = next.attempt.number == 1 || next.attempt.isCopy
        running = if (isOfFirst) running + next else listOf(next)
    }

    override val mayRunTwice: Boolean get() = true

    override fun send(request: Request, attempt: Attempt, sent: SentRequests?): Response {
        val call = newAttempt(request, attempt, sent)
        try {
            return call.execute()
        } catch (e: IOException) {
            if (running.none { it.call === call && it.isCut }) failed(call, e)
            throw e
        }
    }

    /**
     * [attempt], which was not cut off, has failed with [failure]. If it was cancelled from below, by the dispatcher or an
     * interceptor, so is the whole call: what was cancelled is not sent again. OkHttp cancels a call that is out of time too.
     */
    fun failed(attempt: Call, failure: IOException) {
        if (attempt.isCanceled() && failure !is InterruptedIOException) cancel()
    }

    override val repeatsByItself: Boolean get() = factory.repeatsByItself

    // An attempt's timeouts are the client's from the beginning.
    override fun release(response: Response): Unit = Unit

    override fun cut(attempt: Attempt) {
        val cut = running.find { it.attempt === attempt } ?: return
        cut.isCut = true
        cut.call.cancel()
    }

    override fun cancel() {
        isCanceled = true
        action?.invoke()
        running.forEach { it.call.cancel() }
    }

    override fun onCancel(action: () -> Unit) {
        if (this.action != null) return
        this.action = action
        if (isCanceled) action()
    }

    override fun isCanceled(): Boolean = isCanceled

    override fun isExecuted(): Boolean = wasExecuted.get()

    override fun timeout(): Timeout = limit

    override fun addEventListener(eventListener: EventListener) {
        listeners += eventListener
        running.forEach { it.call.addEventListener(eventListener) }
    }

    /** The dispatcher's threads, for a callback that has no thread of its own. */
    fun onDispatcher(task: Runnable): Unit = factory.onDispatcher(task)

    @Suppress("CloneDoesntCallSuperClone")
    override fun clone(): Call = factory.newCall(request())

    /** The [call] of one execution of [attempt]. */
    private class Running(val attempt: Attempt, val call: Call) {
        /** Whether the attempt was ended because it is not needed, or out of time. */
        @Volatile
        var isCut = false
    }
}
