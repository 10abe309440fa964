package dev.reprise.grpc

import dev.reprise.core.NanoClock
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.java.JavaRetrier
import dev.reprise.java.JavaRetrierBuilder
import dev.reprise.java.JavaWaiter
import dev.reprise.virtualtime.Event
import dev.reprise.virtualtime.EventQueue
import io.grpc.ClientInterceptor
import io.grpc.ManagedChannelBuilder
import io.grpc.inprocess.InProcessChannelBuilder
import io.grpc.inprocess.InProcessServerBuilder
import java.time.Duration
import java.util.concurrent.AbstractExecutorService
import java.util.concurrent.Callable
import java.util.concurrent.CompletableFuture
import java.util.concurrent.Delayed
import java.util.concurrent.Executor
import java.util.concurrent.ScheduledExecutorService
import java.util.concurrent.ScheduledFuture
import java.util.concurrent.TimeUnit

/** Time for a retrier and for gRPC's own timers, on the one thread of a test. */
internal class VirtualClock :
    AbstractExecutorService(),
    ScheduledExecutorService,
    NanoClock,
    JavaWaiter {
    private val queue = EventQueue()

    fun retrier(policy: RetryPolicy, vararg listeners: RetryListener): JavaRetrier =
        builder(policy).listeners(listeners.toList()).build()

    fun builder(policy: RetryPolicy): JavaRetrierBuilder = JavaRetrier.builder(policy)
        .clock(this)
        .waiter(this)
        .executor(DIRECT)
        .draws { 1.0 }

    override fun nanoTime(): Long = queue.now

    override fun await(duration: Duration) = error("nothing waits here")

    override fun after(duration: Duration, task: Runnable): Runnable {
        waiting++
        var isOver = false
        val event = queue.schedule(queue.now + duration.toNanos()) {
            isOver = true
            waiting--
            task.run()
        }
        return Runnable {
            if (!isOver) waiting--
            isOver = true
            queue.cancel(event)
        }
    }

    /** Lets [nanos] pass. */
    fun pass(nanos: Long) = queue.runUntil(queue.now + nanos)

    /** Lets time pass until [isDone], or until nothing is left to happen. */
    fun until(isDone: () -> Boolean) {
        while (!isDone()) check(queue.runNext()) { "nothing is left to happen" }
    }

    /** How many timers of the retrier are set. */
    var waiting = 0
        private set

    override fun execute(command: Runnable) = command.run()

    override fun schedule(command: Runnable, delay: Long, unit: TimeUnit): ScheduledFuture<*> =
        schedule(Callable { command.run() }, delay, unit)

    override fun <V> schedule(callable: Callable<V>, delay: Long, unit: TimeUnit): ScheduledFuture<V> {
        val timer = Timer<V>()
        val at = queue.now + maxOf(0, unit.toNanos(delay))
        timer.event = queue.schedule(at) { timer.complete(callable.call()) }
        return timer
    }

    private inner class Timer<V> :
        CompletableFuture<V>(),
        ScheduledFuture<V> {
        lateinit var event: Event

        override fun cancel(mayInterruptIfRunning: Boolean): Boolean {
            if (!isDone) queue.cancel(event)
            return super.cancel(mayInterruptIfRunning)
        }

        override fun getDelay(unit: TimeUnit): Long = 0

        override fun compareTo(other: Delayed): Int = 0
    }

    override fun scheduleAtFixedRate(command: Runnable, initialDelay: Long, period: Long, unit: TimeUnit) =
        error("not needed")

    override fun scheduleWithFixedDelay(command: Runnable, initialDelay: Long, delay: Long, unit: TimeUnit) =
        error("not needed")

    override fun shutdown() = Unit

    override fun shutdownNow(): List<Runnable> = emptyList()

    override fun isShutdown(): Boolean = false

    override fun isTerminated(): Boolean = false

    override fun awaitTermination(timeout: Long, unit: TimeUnit): Boolean = true

    companion object {
        val DIRECT = Executor(Runnable::run)
    }
}

/** A channel in process that runs on one thread in [clock]'s time. */
internal fun virtualLink(
    clock: VirtualClock,
    server: ScriptedServer,
    vararg interceptors: ClientInterceptor,
    onChannel: ManagedChannelBuilder<*>.() -> Unit = {},
): Link = Link(
    Wire.IN_PROCESS,
    server,
    *interceptors,
    onServer = {
        directExecutor()
        // Otherwise a call's deadline ends it on a thread of the server's own, whenever that comes to it.
        (this as InProcessServerBuilder).scheduledExecutorService(clock)
    },
    onChannel = {
        directExecutor()
        (this as InProcessChannelBuilder).scheduledExecutorService(clock)
        onChannel()
    },
)
