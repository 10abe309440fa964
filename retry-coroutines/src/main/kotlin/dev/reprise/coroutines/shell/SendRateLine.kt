package dev.reprise.coroutines.shell

import dev.reprise.core.NanoClock
import dev.reprise.core.NoPermit
import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.call.RetryCall
import dev.reprise.core.shell.rate.RateWatcher
import dev.reprise.core.shell.rate.SendRate
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.core.shell.values.longestNanos
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.async
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.selects.select
import kotlinx.coroutines.sync.Mutex
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration.Companion.nanoseconds

/**
 * The line for send permits of one client: first come, first served, and only there when needed. For authors of shells;
 * safe for any number of threads and coroutines, which all stand in the same line.
 *
 * ```
 * limiter off                        free, one volatile read
 * a permit is there, the line empty  one compare-and-set
 * otherwise                          join the line; the caller that holds the mutex is its head and alone waits for a permit
 * ```
 *
 * Recording an answer never touches the mutex. A rate that changes wakes the head, which computes its wait again. A
 * caller that gives up, for any reason, has consumed nothing and delays no other caller.
 */
@ShellApi
public class SendRateLine internal constructor(
    internal val rate: SendRate,
    private val clock: NanoClock,
    private val waiter: Waiter,
) : RateWatcher {
    private val head = Mutex()
    private val callers = AtomicInteger()
    private val wake = Channel<Unit>(Channel.CONFLATED)

    /** Whether a program that simulates time waits here: nothing may happen on other threads than its own. */
    internal val isSimulated: Boolean get() = waiter !== Waiter.DELAY

    override val isWaiting: Boolean get() = callers.get() > 0

    /** Wakes the head of the line, which computes its wait anew. */
    override fun rateChanged() {
        if (callers.get() > 0) wake.trySend(Unit)
    }

    /** How many callers are in the line. */
    public val waiting: Int get() = callers.get()

    /** Takes a permit if one is there and the line is empty; never waits, never overtakes. */
    public fun tryAcquire(): Boolean = !rate.isOn || tryAcquire(clock.nanoTime())

    /** [tryAcquire] at [now], a reading of the clock. */
    internal fun tryAcquire(now: Long): Boolean = !rate.isOn || (callers.get() == 0 && rate.tryTake(now))

    /** Asks for the permit that [call] wants, and reports to it. When the coroutine is cancelled, it reports nothing. */
    public suspend fun acquire(call: RetryCall): Unit =
        report(acquire(call.setup.policy.onNoPermit, call.permitUntil), call)

    /** Reports to [call] that it waited [waited] ns for its permit, or that it was [REFUSED]. */
    public fun report(waited: Long, call: RetryCall): Unit =
        if (waited >= 0) call.permitted(waited) else call.permitRefused()

    /**
     * Takes a permit, in line behind those who came before. Returns the ns waited, or [REFUSED].
     *
     * [noPermit] says how long to wait at most, and so does [deadlineAt], a reading of the clock or
     * [UNLIMITED_NANOS]. A wait that is not over in time at the present rate, with those ahead served first, is refused at
     * once. A refusal consumes nothing. When the coroutine is cancelled, it leaves the line at once and consumes nothing.
     */
    internal suspend fun acquire(noPermit: NoPermit, deadlineAt: Long): Long {
        if (tryAcquire()) return 0
        val start = clock.nanoTime()
        val end = Limit.of(noPermit, deadlineAt, start)
        val ahead = callers.getAndIncrement()
        try {
            val foreseen = rate.waitNanos(start, ahead)
            val isServed = end.allows(foreseen, start) && waitInLine(end)
            return if (isServed) waitedSince(start) else REFUSED
        } finally {
            callers.decrementAndGet()
        }
    }

    /** How long a caller that has a permit waited for it. A clock that throws gives the permit back. */
    private fun waitedSince(start: Long): Long = try {
        // A clock may have been set back meanwhile; less than nothing would be a refusal.
        (clock.nanoTime() - start).coerceAtLeast(0)
    } catch (e: Throwable) {
        rate.putBack()
        throw e
    }

    private suspend fun waitInLine(end: Limit): Boolean {
        var isHead = false
        try {
            end.within(clock, waiter) {
                head.lock()
                isHead = true
            }
            return isHead && waitAsHead(end)
        } finally {
            if (isHead) head.unlock()
        }
    }

    private suspend fun waitAsHead(end: Limit): Boolean {
        while (true) {
            val now = clock.nanoTime()
            if (rate.tryTake(now)) return true
            val wait = rate.waitNanos(now, 0)
            if (!end.allows(wait, now)) return false
            waitOrWake(wait)
        }
    }

    /** Waits [nanos], or less if the rate changes. The head alone comes here. */
    private suspend fun waitOrWake(nanos: Long) = coroutineScope {
        // A waiter is foreign code: its exception, also a cancellation, ends the wait and not just the timer.
        val timer = async(start = CoroutineStart.UNDISPATCHED) { waiter.await(nanos.nanoseconds) }
        select {
            timer.onAwait { }
            wake.onReceive { }
        }
        timer.cancel()
    }

    override fun toString(): String = "SendRateLine($rate, waiting=$waiting)"

    public companion object {
        /** The result of [acquire] for a caller that got no permit. */
        public const val REFUSED: Long = -1

        /** The line of [rate]: there is one, made by the first who asks; all who share the rate stand in it. */
        internal fun of(rate: SendRate, clock: NanoClock, waiter: Waiter): SendRateLine =
            rate.watcherOr(SendRateLine(rate, clock, waiter)) as SendRateLine
    }
}

/** Until when a caller waits: a reading of the clock, or never. */
@JvmInline
private value class Limit(private val at: Long) {
    fun allows(wait: Long, now: Long): Boolean = at == UNLIMITED_NANOS || wait <= at - now

    /** Runs [block] until it is done or the limit is reached, by [waiter]'s time if that is simulated. */
    suspend fun within(clock: NanoClock, waiter: Waiter, block: suspend () -> Unit) {
        if (at == UNLIMITED_NANOS) return block()
        val left = (at - clock.nanoTime()).nanoseconds
        if (!left.isPositive()) return
        coroutineScope {
            val work = async(start = CoroutineStart.UNDISPATCHED) { block() }
            if (work.isCompleted) return@coroutineScope
            val timer = async(start = CoroutineStart.UNDISPATCHED) { waiter.await(left) }
            select {
                work.onAwait { }
                timer.onAwait { }
            }
            work.cancel()
            timer.cancel()
        }
    }

    companion object {
        fun of(noPermit: NoPermit, deadlineAt: Long, now: Long): Limit {
            val patience = noPermit.longestNanos
            val left = if (deadlineAt == UNLIMITED_NANOS) UNLIMITED_NANOS else deadlineAt - now
            val shorter = minOf(patience, left)
            return Limit(if (shorter == UNLIMITED_NANOS) UNLIMITED_NANOS else now + shorter)
        }
    }
}
