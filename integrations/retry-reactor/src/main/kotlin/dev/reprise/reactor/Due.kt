package dev.reprise.reactor

import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.DelicateCoroutinesApi
import kotlinx.coroutines.GlobalScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import reactor.core.Disposable
import reactor.core.scheduler.Scheduler
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicReference
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.nanoseconds

/**
 * A [task] of a call for its [scheduler], and for another thread if no thread of the scheduler has begun it when [limit] ns are over: a
 * limit is not late because a pool is full. Done or stopped, it keeps nothing.
 */
internal class Due(private val scheduler: Scheduler, private val limit: Long, task: Runnable) {
    private val task = AtomicReference<Runnable?>(task)
    private val from = scheduler.now(TimeUnit.NANOSECONDS)

    @Volatile
    private var timer: Disposable? = null

    @Volatile
    private var watch: Job? = null

    /** Gives the task to the scheduler, for [nanos] from now. Throws what that throws if it refuses. */
    fun begin(nanos: Long) {
        timer = if (nanos == 0L) scheduler.schedule(::run) else scheduler.schedule(::run, nanos, TimeUnit.NANOSECONDS)
        @OptIn(DelicateCoroutinesApi::class)
        watch = GlobalScope.launch(OTHER_THREADS, CoroutineStart.UNDISPATCHED) {
            delay(limit.nanoseconds + LATE)
            // That of StepVerifier.withVirtualTime has a clock of its own.
            if (scheduler.now(TimeUnit.NANOSECONDS) - from >= limit) run()
        }
        if (task.get() == null) watch?.cancel()
    }

    private fun run() {
        val task = task.getAndSet(null) ?: return
        watch?.cancel()
        task.run()
    }

    /** Not while the task runs on a thread of the scheduler, which this may interrupt. */
    fun stop() {
        task.set(null)
        timer?.dispose()
        watch?.cancel()
    }

    private companion object {
        /** A scheduler that takes longer is not free. */
        val LATE = 10.milliseconds

        /** Threads that no work of others holds. They end when they are idle. */
        val OTHER_THREADS = Executors.newCachedThreadPool {
            Thread(it, "reprise-limit").apply {
                isDaemon = true
                contextClassLoader = null
            }
        }.asCoroutineDispatcher()
    }
}
