package dev.reprise.lab.time

import dev.reprise.core.time.NanoClock
import dev.reprise.coroutines.Waiter
import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Delay
import kotlinx.coroutines.DisposableHandle
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.InternalCoroutinesApi
import kotlinx.coroutines.Runnable
import kotlinx.coroutines.suspendCancellableCoroutine
import java.util.PriorityQueue
import kotlin.coroutines.CoroutineContext

/**
 * A world in which time passes only when there is nothing left to do: a clock in ns, and a dispatcher whose delays and
 * timeouts follow it. One thread runs all that happens, in the order of its time and, where that is the same, of its
 * scheduling; so the same world always has the same history.
 *
 * Timeouts come here in whole ms, rounded up. One that is [limitNanos] so rounded is that limit, to the ns: whoever knows
 * how long an attempt may take can have it cut off exactly then.
 */
@OptIn(InternalCoroutinesApi::class, ExperimentalCoroutinesApi::class)
internal class VirtualTime(private var now: Long = 0, private val limitNanos: () -> Long = { Long.MAX_VALUE }) :
    CoroutineDispatcher(),
    Delay,
    NanoClock {
    private val ready = ArrayDeque<Runnable>()
    private val events = PriorityQueue<Event>()
    private var scheduled = 0L

    /** Waits exactly, where `delay` would round up to whole ms. */
    val waiter = Waiter { await(it) }

    /** How many things have happened. */
    var happened = 0L
        private set

    override fun nanoTime(): Long = now

    /** Suspends for exactly [nanos]. */
    suspend fun await(nanos: Long) {
        if (nanos <= 0) return
        suspendCancellableCoroutine { continuation ->
            val event = after(nanos) { with(continuation) { resumeUndispatched(Unit) } }
            continuation.invokeOnCancellation { event.dispose() }
        }
    }

    /** Lets everything happen that is to happen until [end], and then stands at [end]. */
    fun runUntil(end: Long) {
        happen(end)
        now = maxOf(now, end)
    }

    /** Lets everything happen that is to happen, and stands at the last of it. */
    fun runToEnd() = happen(Long.MAX_VALUE)

    /**
     * Blocks the thread that runs this world for exactly [nanos], while everything else happens.
     *
     * @throws InterruptedException when something that happens interrupts the thread
     */
    fun sleep(nanos: Long) {
        var isOver = nanos <= 0
        val end = after(nanos) { isOver = true }
        while (!isOver) {
            check(step()) { "nothing is left to happen" }
            if (!Thread.interrupted()) continue
            end.dispose()
            throw InterruptedException()
        }
    }

    /** Runs [task] in [nanos] from now, unless it is called off. */
    fun after(nanos: Long, task: Runnable): DisposableHandle {
        val event = Event(if (now + nanos < now) Long.MAX_VALUE else now + nanos, scheduled++, task)
        events += event
        return event
    }

    /** Lets the next thing happen; answers whether there was any. */
    fun step(): Boolean = happenNext(Long.MAX_VALUE)

    private fun happen(until: Long) {
        while (happenNext(until)) continue
    }

    private fun happenNext(until: Long): Boolean {
        ready.removeFirstOrNull()?.let {
            it.run()
            return true
        }
        while (true) {
            val next = events.peek() ?: return false
            if (next.at > until) return false
            events.poll()
            val task = next.task ?: continue
            now = next.at
            happened++
            task.run()
            return true
        }
    }

    override fun dispatch(context: CoroutineContext, block: Runnable) {
        ready.addLast(block)
    }

    override fun scheduleResumeAfterDelay(timeMillis: Long, continuation: CancellableContinuation<Unit>) {
        val event = after(nanosOf(timeMillis)) { with(continuation) { resumeUndispatched(Unit) } }
        continuation.invokeOnCancellation { event.dispose() }
    }

    override fun invokeOnTimeout(timeMillis: Long, block: Runnable, context: CoroutineContext): DisposableHandle {
        val limit = limitNanos()
        val roundedUp = limit / MILLI + if (limit % MILLI > 0) 1 else 0
        return after(if (roundedUp == timeMillis) limit else nanosOf(timeMillis), block)
    }

    private fun nanosOf(millis: Long) = if (millis > Long.MAX_VALUE / MILLI) Long.MAX_VALUE else millis * MILLI

    /** Something that will happen. Called off, it stays in the queue and is passed over: removal would search it. */
    private class Event(val at: Long, val order: Long, var task: Runnable?) :
        Comparable<Event>,
        DisposableHandle {
        override fun dispose() {
            task = null
        }

        // By hand: this is most of what a simulation does, and `compareValuesBy` would box four numbers.
        override fun compareTo(other: Event): Int =
            if (at != other.at) at.compareTo(other.at) else order.compareTo(other.order)
    }

    private companion object {
        const val MILLI = 1_000_000L
    }
}
