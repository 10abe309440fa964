package dev.reprise.test

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.Job
import kotlinx.coroutines.async
import java.util.concurrent.Callable
import java.util.concurrent.CompletableFuture
import java.util.function.Supplier

/** Code under test: an operation that calls a [Dependency], in virtual time. */
public class Subject private constructor(private val make: (VirtualTime, Dependency) -> (Dependency) -> Result<Any?>) {
    /** A fresh one, whose operation can be run more than once. */
    internal fun fresh(time: VirtualTime, dependency: Dependency): (Dependency) -> Result<Any?> = make(time, dependency)

    public companion object {
        /** An operation on the caller's thread. [make] makes the service around the dependency, and returns the operation. */
        @JvmStatic
        public fun blocking(make: (VirtualTime, () -> String) -> Callable<*>): Subject = Subject { time, first ->
            var current = first
            val operation = make(time) { current.call() }
            val run = { dependency: Dependency ->
                current = dependency
                val thread = Thread.currentThread()
                dependency.cancel = { thread.interrupt() }
                runCatching<Any?> { operation.call() }.also { Thread.interrupted() }
            }
            run
        }

        /** An operation in a coroutine. */
        @OptIn(ExperimentalCoroutinesApi::class)
        @JvmSynthetic
        public fun suspending(make: (VirtualTime, suspend () -> String) -> suspend () -> Any?): Subject =
            Subject { time, first ->
                var current = first
                val operation = make(time) { current.callSuspending() }
                val run = { dependency: Dependency ->
                    current = dependency
                    val job = Job()
                    dependency.cancel = { job.cancel() }
                    val scope = CoroutineScope(time.dispatcher + job)
                    val end = scope.async(start = CoroutineStart.UNDISPATCHED) { operation() }
                    runCatching {
                        time.until { end.isCompleted }
                        end.getCompleted()
                    }
                }
                run
            }

        /** An operation that returns a future. */
        @JvmStatic
        public fun async(
            make: (VirtualTime, () -> CompletableFuture<String>) -> Supplier<out CompletableFuture<*>>,
        ): Subject = Subject { time, first ->
            var current = first
            val operation = make(time) { current.callAsync() }
            val run = { dependency: Dependency ->
                current = dependency
                runCatching<Any?> {
                    val future = operation.get()
                    dependency.cancel = { future.cancel(true) }
                    time.join(future)
                }
            }
            run
        }
    }
}
