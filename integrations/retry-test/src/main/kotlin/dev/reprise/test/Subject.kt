package dev.reprise.test

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.Job
import kotlinx.coroutines.async
import java.util.concurrent.Callable
import java.util.concurrent.CompletableFuture
import java.util.function.Supplier

/** Code under test: an operation that calls a [Dependency], in virtual time. */
public class Subject private constructor(private val make: (VirtualTime, CurrentCall) -> Operation) {
    /** A fresh one, whose operation can be run more than once. */
    internal fun fresh(time: VirtualTime): Operation = make(time, CurrentCall())

    /** The dependency of the operations that run now. */
    internal class CurrentCall {
        lateinit var dependency: Dependency
    }

    /** The operation of one service. */
    internal abstract class Operation(private val current: CurrentCall) {
        /** Runs it to its end. */
        fun run(dependency: Dependency): Result<Any?> {
            current.dependency = dependency
            return runOne(dependency)
        }

        /** Runs it twice at once. Returns whether that can be done. */
        fun runTwice(dependency: Dependency): Boolean {
            current.dependency = dependency
            return runBoth()
        }

        protected abstract fun runOne(dependency: Dependency): Result<Any?>

        protected abstract fun runBoth(): Boolean
    }

    public companion object {
        /** An operation on the caller's thread. [make] makes the service around the dependency, and returns the operation. */
        @JvmStatic
        public fun blocking(make: (VirtualTime, () -> String) -> Callable<*>): Subject =
            Subject { time, current -> Blocking(current, make(time) { current.dependency.call() }) }

        /** An operation in a coroutine. */
        @JvmSynthetic
        public fun suspending(make: (VirtualTime, suspend () -> String) -> suspend () -> Any?): Subject =
            Subject { time, current -> Suspending(current, time, make(time) { current.dependency.callSuspending() }) }

        /** An operation that returns a future. */
        @JvmStatic
        public fun async(
            make: (VirtualTime, () -> CompletableFuture<String>) -> Supplier<out CompletableFuture<*>>,
        ): Subject = Subject { time, current -> Async(current, time, make(time) { current.dependency.callAsync() }) }
    }

    private class Blocking(current: CurrentCall, private val operation: Callable<*>) : Operation(current) {
        override fun runOne(dependency: Dependency): Result<Any?> {
            val thread = Thread.currentThread()
            dependency.cancel = { thread.interrupt() }
            return runCatching<Any?> { operation.call() }.also { Thread.interrupted() }
        }

        /** There is one thread. */
        override fun runBoth() = false
    }

    @OptIn(ExperimentalCoroutinesApi::class)
    private class Suspending(
        current: CurrentCall,
        private val time: VirtualTime,
        private val operation: suspend () -> Any?,
    ) : Operation(current) {
        override fun runOne(dependency: Dependency): Result<Any?> {
            val job = Job()
            dependency.cancel = { job.cancel() }
            val end = start(job)
            return runCatching {
                time.until { end.isCompleted }
                end.getCompleted()
            }
        }

        override fun runBoth(): Boolean {
            val ends = List(2) { start(Job()) }
            time.until { ends.all { it.isCompleted } }
            return true
        }

        private fun start(job: Job): Deferred<Any?> =
            CoroutineScope(time.dispatcher + job).async(start = CoroutineStart.UNDISPATCHED) { operation() }
    }

    private class Async(
        current: CurrentCall,
        private val time: VirtualTime,
        private val operation: Supplier<out CompletableFuture<*>>,
    ) : Operation(current) {
        override fun runOne(dependency: Dependency): Result<Any?> = runCatching<Any?> {
            val future = operation.get()
            dependency.cancel = { future.cancel(true) }
            time.join(future)
        }

        override fun runBoth(): Boolean {
            val ends = List(2) { operation.get() }
            time.until { ends.all { it.isDone } }
            return true
        }
    }
}
