@file:OptIn(InternalCoroutinesApi::class, ExperimentalCoroutinesApi::class)

package dev.reprise.test

import dev.reprise.core.shell.time.MILLI
import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Delay
import kotlinx.coroutines.DisposableHandle
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.InternalCoroutinesApi
import java.util.PriorityQueue
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.locks.LockSupport
import kotlin.coroutines.ContinuationInterceptor
import kotlin.coroutines.CoroutineContext

/** Scheduled tasks with their times. Safe for any number of threads; one of them runs the tasks. */
internal class Agenda(startNanos: Long) {
    private val tasks = PriorityQueue<Task>()
    private val limits = ConcurrentHashMap<Long, Long>()
    private var order = 0L

    @Volatile
    var now = startNanos
        private set

    private val drivers = AtomicInteger()

    /** Whether a thread is moving this time on. */
    val isDriven: Boolean get() = drivers.get() > 0

    @Volatile
    var pending = 0
        private set

    @Volatile
    var happened = 0L
        private set

    /** The time in [nanos] from now; never before now, and never beyond what a clock shows. */
    fun after(nanos: Long): Long {
        val end = now + nanos.coerceAtLeast(0)
        return if (end < now) Long.MAX_VALUE else end
    }

    fun add(nanos: Long, work: Runnable): Runnable {
        synchronized(tasks) {
            val task = Task(after(nanos), order++, work)
            tasks += task
            pending++
            return task
        }
    }

    /** Runs [block], which moves this time on. */
    inline fun <T> drive(block: () -> T): T {
        drivers.incrementAndGet()
        try {
            return block()
        } finally {
            drivers.decrementAndGet()
        }
    }

    /** Makes the next thing happen, unless that is after [end]; returns whether there was one. Outside of the lock. */
    fun step(end: Long): Boolean {
        val work = next(end) ?: return false
        drive { work.run() }
        return true
    }

    private fun next(end: Long): Runnable? {
        synchronized(tasks) {
            while (true) {
                val task = tasks.peek() ?: return null
                if (task.work != null && task.at > end) return null
                tasks.poll()
                val work = task.take() ?: continue
                if (task.at > now) now = task.at
                happened++
                return work
            }
        }
    }

    fun standAt(end: Long) {
        synchronized(tasks) { if (end > now) now = end }
    }

    /** Another thread may be about to add something, or to end what is waited for. Returns whether it did, in real time. */
    fun isFilledFromElsewhere(isOver: () -> Boolean): Boolean {
        val start = System.nanoTime()
        while (System.nanoTime() - start < PATIENCE) {
            if (isOver() || pending > 0) return true
            LockSupport.parkNanos(this, PAUSE)
        }
        return false
    }

    /** A timeout of [nanos] will come here in whole ms. */
    fun knows(nanos: Long) {
        if (nanos % MILLI > 0 && nanos < Long.MAX_VALUE - MILLI) limits[nanos / MILLI + 1] = nanos
    }

    fun limitOf(millis: Long): Long = limits[millis] ?: TimeUnit.MILLISECONDS.toNanos(millis)

    fun resume(continuation: CancellableContinuation<Unit>) {
        val dispatcher = continuation.context[ContinuationInterceptor]
        if (dispatcher is TimeDispatcher) {
            with(continuation) { dispatcher.resumeUndispatched(Unit) }
        } else {
            continuation.resumeWith(Result.success(Unit))
        }
    }

    private inner class Task(val at: Long, val order: Long, var work: Runnable?) :
        Comparable<Task>,
        Runnable {
        /** Cancels it. It stays in the queue and is passed over: removal would search the queue. */
        override fun run() {
            synchronized(tasks) { take() }
        }

        fun take(): Runnable? {
            val taken = work ?: return null
            work = null
            pending--
            return taken
        }

        // By hand: `compareValuesBy` would box four numbers.
        override fun compareTo(other: Task): Int =
            if (at != other.at) at.compareTo(other.at) else order.compareTo(other.order)
    }
}

/**
 * Coroutines in the time of [agenda]. While no thread moves that on, an [isEager] dispatcher runs work in place, so that its caller
 * gets as far as the wait that fails.
 */
internal class TimeDispatcher(private val agenda: Agenda, private val isEager: Boolean = false) :
    CoroutineDispatcher(),
    Delay {
    override fun isDispatchNeeded(context: CoroutineContext): Boolean = !isEager || agenda.isDriven

    override fun dispatch(context: CoroutineContext, block: kotlinx.coroutines.Runnable) {
        agenda.add(0, block)
    }

    override fun scheduleResumeAfterDelay(timeMillis: Long, continuation: CancellableContinuation<Unit>) {
        val timer = agenda.add(TimeUnit.MILLISECONDS.toNanos(timeMillis)) { agenda.resume(continuation) }
        continuation.invokeOnCancellation { timer.run() }
    }

    override fun invokeOnTimeout(
        timeMillis: Long,
        block: kotlinx.coroutines.Runnable,
        context: CoroutineContext,
    ): DisposableHandle {
        val timer = agenda.add(agenda.limitOf(timeMillis), block)
        return DisposableHandle { timer.run() }
    }

    override fun toString(): String = "virtual time"
}

private const val PATIENCE = 5_000_000_000L
private const val PAUSE = 20_000L
