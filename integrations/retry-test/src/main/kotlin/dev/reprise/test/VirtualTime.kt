package dev.reprise.test

import dev.reprise.core.NanoClock
import dev.reprise.core.RandomSource
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.shell.Waiter
import dev.reprise.java.JavaRetrier
import dev.reprise.java.JavaWaiter
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.async
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.suspendCancellableCoroutine
import java.util.concurrent.CompletableFuture
import java.util.concurrent.Executor
import kotlin.coroutines.ContinuationInterceptor
import kotlin.time.Duration
import java.time.Duration as JavaDuration

/**
 * Time that passes only when there is nothing left to do, for coroutines, flows, threads and futures, and clients over them: one
 * clock in ns, one timer, one [dispatcher], one [waiter] and one [executor]. A test of an hour of retries takes less than a
 * millisecond. Reactor's types and WebClient wait on a scheduler of Reactor instead: see `StepVerifier.withVirtualTime`.
 *
 * The test's thread runs all tasks, in the order of their time and then of their scheduling. So the same test always
 * has the same history. A blocking wait on that thread lets all other tasks run meanwhile.
 *
 * A coroutine waits in [run], or on the [dispatcher] of a test that moves the time on by hand; not in `runTest`, whose time is
 * another, and not in `runBlocking`. A future ends in [join].
 *
 * Exact to the ns, with one exception: kotlinx.coroutines rounds a `withTimeout` up to whole ms before it comes here, and
 * so the time that a deadline leaves to an attempt of a coroutine. Attempt timeouts of a policy that was given to [retrier]
 * are still exact, and so are timeouts announced with [expectTimeout].
 *
 * Safe to be called from other threads, such as a pool that completes a future; those make a test wait for real.
 */
public class VirtualTime(startNanos: Long) :
    NanoClock,
    JavaWaiter {
    /** A time that begins at zero. */
    public constructor() : this(startNanos = 0)

    private val agenda = Agenda(startNanos)

    /** Runs coroutines in this time: their delays and timeouts follow it. */
    public val dispatcher: CoroutineDispatcher = TimeDispatcher(agenda)

    internal val eagerDispatcher: CoroutineDispatcher = TimeDispatcher(agenda, isEager = true)

    /** Suspends for exactly as long as it is told, where `delay` rounds up to whole ms. */
    @JvmField
    public val waiter: Waiter = Waiter { suspendFor(it) }

    /** Runs each task in its turn, at the time when it was given. */
    @JvmField
    public val executor: Executor = Executor { agenda.add(0, it) }

    /** The number of tasks and timers still to come. After a call has ended, its leftovers. */
    public val pending: Int get() = agenda.pending

    /** How many tasks and timers have run so far. */
    public val happened: Long get() = agenda.happened

    override fun nanoTime(): Long = agenda.now

    /**
     * Makes each `withTimeout` of [limit] that begins from now on exact, also where that is no whole number of ms. Attempt
     * timeouts of policies that were given to [retrier] are so already.
     */
    @JvmSynthetic
    public fun expectTimeout(limit: Duration): Unit = agenda.knows(limit.inWholeNanoseconds)

    /** A retrier of [policy] that lives in this time, with a full quota of its own. By default it draws the longest delays. */
    public fun retrier(
        policy: RetryPolicy = RetryPolicy.STANDARD,
        listener: RetryListener? = null,
        draws: RandomSource = LONGEST,
    ): Retrier {
        for (timeout in policy.attemptTimeouts) agenda.knows(timeout.inWholeNanoseconds)
        val builder = Retrier.builder(policy).listeners(listOfNotNull(listener))
        return builder.clock(this).draws(draws).waiter(waiter).build()
    }

    /** [retrier] for blocking calls and futures, whose dependents run in this time too. */
    @JvmOverloads
    public fun javaRetrier(
        policy: RetryPolicy = RetryPolicy.STANDARD,
        listener: RetryListener? = null,
        draws: RandomSource = LONGEST,
    ): JavaRetrier = JavaRetrier.sharing(retrier(policy, listener, draws), this, executor)

    /**
     * Blocks the thread for exactly [duration], while everything else happens.
     *
     * @throws InterruptedException if the thread is interrupted before or while it blocks
     */
    @JvmSynthetic
    public fun await(duration: Duration): Unit = awaitNanos(duration.inWholeNanoseconds)

    /**
     * Blocks the thread for exactly [duration], while everything else happens. For Java.
     *
     * @throws InterruptedException if the thread is interrupted before or while it blocks
     */
    override fun await(duration: JavaDuration): Unit = awaitNanos(duration.toNanos())

    private fun awaitNanos(nanos: Long) {
        if (Thread.interrupted()) throw InterruptedException()
        val end = agenda.after(nanos)
        agenda.drive {
            while (agenda.step(end)) {
                if (Thread.interrupted()) throw InterruptedException()
            }
        }
        agenda.standAt(end)
    }

    /** Runs [task] in [duration] from now. Returns a handle that cancels it. */
    @JvmSynthetic
    public fun after(duration: Duration, task: Runnable): Runnable = agenda.add(duration.inWholeNanoseconds, task)

    /** Runs [task] in [duration] from now. Returns a handle that cancels it. For Java. */
    override fun after(duration: JavaDuration, task: Runnable): Runnable = agenda.add(duration.toNanos(), task)

    /** Lets the next thing happen; returns whether there was one. */
    public fun step(): Boolean = agenda.step(Long.MAX_VALUE)

    /** Runs everything that is due within [duration], and moves the time on by it. */
    @JvmSynthetic
    public fun advance(duration: Duration): Unit = advanceNanos(duration.inWholeNanoseconds)

    /** Runs everything that is due within [duration], and moves the time on by it. For Java. */
    public fun advance(duration: JavaDuration): Unit = advanceNanos(duration.toNanos())

    private fun advanceNanos(nanos: Long) {
        val end = agenda.after(nanos)
        agenda.drive { while (agenda.step(end)) continue }
        agenda.standAt(end)
    }

    /** Runs everything that is due now; no time passes. */
    public fun settle(): Unit = advanceNanos(0)

    /** Runs everything that is due, however late; the time is then that of the last task. */
    public fun runToEnd(): Unit = agenda.drive { while (step()) continue }

    /**
     * Runs [block] in this time, and returns its result.
     *
     * @throws AssertionError if it waits for something that never happens
     */
    @OptIn(ExperimentalCoroutinesApi::class)
    public fun <T> run(block: suspend CoroutineScope.() -> T): T = agenda.drive {
        val end = CoroutineScope(dispatcher).async(start = CoroutineStart.UNDISPATCHED, block = block)
        until { end.isCompleted }
        end.getCompleted()
    }

    /**
     * Lets things happen until [future] is completed, and returns its result as `join` does.
     *
     * @throws AssertionError if it never is
     */
    public fun <T> join(future: CompletableFuture<T>): T {
        until { future.isDone }
        return future.join()
    }

    /**
     * Lets things happen until [isOver]. Where nothing is left to happen it waits a few seconds of real time for other threads.
     *
     * @throws AssertionError if that does not help either
     */
    public fun until(isOver: () -> Boolean): Unit = agenda.drive {
        while (!isOver()) {
            if (!step() && !agenda.isFilledFromElsewhere(isOver)) {
                throw AssertionError("at ${nanoTime()} ns nothing is left to happen, and the call has not ended")
            }
        }
    }

    /**
     * Suspends for exactly [duration]; cancellation ends the wait at once.
     *
     * @throws IllegalStateException on another dispatcher, such as that of `runTest` or `runBlocking`, while no thread moves this time on
     */
    @JvmSynthetic
    public suspend fun suspendFor(duration: Duration) {
        val nanos = duration.inWholeNanoseconds
        if (nanos <= 0) return
        check(agenda.isDriven || mayPassLater(currentCoroutineContext()[ContinuationInterceptor])) {
            "nobody moves this VirtualTime on: write time.run { } around the call, in place of runTest { } or " +
                "runBlocking { }; to move it on by hand, launch the call on time.dispatcher"
        }
        suspendCancellableCoroutine { continuation ->
            val timer = agenda.add(nanos) { agenda.resume(continuation) }
            continuation.invokeOnCancellation { timer.run() }
        }
    }

    /** By a test that moves it on by hand: futures wait for permits without a dispatcher. A coroutine on another one waits in vain. */
    private fun mayPassLater(where: ContinuationInterceptor?) =
        where == null || where === dispatcher || where === Dispatchers.Unconfined

    override fun toString(): String = "virtual time ${nanoTime()} ns, $pending pending"

    public companion object {
        /** Draws the longest delay each time. */
        @JvmField
        public val LONGEST: RandomSource = RandomSource { 1.0 }
    }
}
