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

    /** The executions of the attempt under way, or of the last one, and those before that are cut off and have not ended yet. */
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
    fun newAttempt(request: Request, attempt: Attempt, sent: SentRequests?): Running {
        val areAllowed = plan.allowsOwnRepeats(attempt)
        val isMadeAlready = attempt.number == 1 && request === first.request() &&
            areAllowed == plan.ownRepeats.areAllowed(isLast = false)
        val call = if (isMadeAlready) first else factory.clientFor(areAllowed).newCall(request)
        // A timeout would begin when the dispatcher runs the call.
        call.timeout().timeout(0, NANOSECONDS)
        endsAt?.let(call.timeout()::deadlineNanoTime)
        sent?.let(call::addEventListener)
        listeners.forEach(call::addEventListener)
        val one = Running(attempt, call)
        runs(one)
        if (isCanceled) call.cancel()
        return one
    }

    /** Adds [next] to the executions of its attempt: a first one and its copy begin in any order. */
    @Synchronized
    private fun runs(next: Running) {
        val isOfFirst = next.attempt.number == 1 || next.attempt.isCopy
        running = running.filter { isOfFirst || !it.hasEnded } + next
    }

    override val mayRunTwice: Boolean get() = true

    override fun send(request: Request, attempt: Attempt, sent: SentRequests?): Response {
        val one = newAttempt(request, attempt, sent)
        try {
            return one.call.execute()
        } finally {
            one.hasEnded = true
        }
    }

    override val repeatsByItself: Boolean get() = factory.repeatsByItself

    // An attempt's timeouts are the client's from the beginning.
    override fun release(response: Response): Unit = Unit

    override fun cut(attempt: Attempt) {
        running.find { it.attempt === attempt }?.cut()
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

    override fun isCanceled(): Boolean = isCanceled || running.any(::isCanceledBelow)

    /**
     * Whether others have cancelled [one]: the dispatcher or an interceptor, which know of no other call. What was cancelled is not
     * sent again, so the whole call is. OkHttp cancels a call that is out of time too.
     */
    fun isCanceledBelow(one: Running) =
        one.call.isCanceled() && !one.isCut && endsAt?.let { it - System.nanoTime() <= 0 } != true

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
    class Running(val attempt: Attempt, val call: Call) {
        /** Whether it was cancelled because it is not needed, or out of time. */
        @Volatile
        var isCut = false
            private set

        @Volatile
        var hasEnded = false

        /** Cancels it, and it alone. */
        fun cut() {
            isCut = true
            call.cancel()
        }
    }
}
