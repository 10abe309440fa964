package dev.reprise.coroutines

import dev.reprise.core.CallOptions
import dev.reprise.core.shell.values.within
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.withContext
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext
import kotlin.time.Duration
import kotlin.time.TimeMark
import kotlin.time.TimeSource

/** When a piece of work must be done, as an element of its coroutine's context. Made by [withDeadline]. Immutable. */
public class CallDeadline internal constructor(
    /** The moment. */
    public val at: TimeMark,
) : AbstractCoroutineContextElement(CallDeadline) {
    /** The time that is left; not positive once it is over. */
    public val timeLeft: Duration get() = -at.elapsedNow()

    override fun toString(): String = "CallDeadline($timeLeft left)"

    public companion object Key : CoroutineContext.Key<CallDeadline>
}

/**
 * Runs [block] as a piece of work that has [limit], and returns its result. Every call of a retrier in it, and in the
 * coroutines that it starts, ends by then. The shortest of this deadline, an outer one, the policy's and the call's own
 * counts. A call that begins later makes no attempt.
 *
 * It does not cancel the work itself when the time is over; use `withTimeout` for that. Cancellation passes through.
 */
public suspend fun <T> withDeadline(limit: Duration, block: suspend CoroutineScope.() -> T): T =
    withDeadline(TimeSource.Monotonic.markNow() + limit, block)

/** [withDeadline] that ends at the moment [at], of any time source: under `runTest` take one of `testTimeSource`. */
public suspend fun <T> withDeadline(at: TimeMark, block: suspend CoroutineScope.() -> T): T {
    val inner = CallDeadline(at)
    val outer = currentCoroutineContext()[CallDeadline]
    val isLonger = outer != null && outer.timeLeft <= inner.timeLeft
    return if (isLonger) coroutineScope(block) else withContext(inner, block)
}

/** These options for a call that begins in [context]: bounded by the [CallDeadline] there, if there is one. */
internal fun CallOptions.within(context: CoroutineContext): CallOptions {
    val deadline = context[CallDeadline] ?: return this
    return within(deadline.timeLeft.inWholeNanoseconds)
}
