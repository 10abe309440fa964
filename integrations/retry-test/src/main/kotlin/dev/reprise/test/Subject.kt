package dev.reprise.test

import java.util.concurrent.Callable
import java.util.concurrent.CompletableFuture
import java.util.function.Supplier

/** Code under test: an operation that calls a [Dependency], in virtual time or in real time. */
public class Subject private constructor(
    /** Makes a fresh one, whose operation can be run more than once. */
    internal val make: (VirtualTime, Operation.CurrentCall) -> Operation,
) {
    public companion object {
        /** An operation on the caller's thread. [make] makes the service around the dependency, and returns the operation. */
        @JvmStatic
        public fun blocking(make: (VirtualTime, () -> String) -> Callable<*>): Subject = Subject { time, current ->
            BlockingOperation(time, make(time) { current.dependency.call() })
        }

        /** An operation in a coroutine. */
        @JvmSynthetic
        public fun suspending(make: (VirtualTime, suspend () -> String) -> suspend () -> Any?): Subject =
            Subject { time, current ->
                AsyncOperation.ofCoroutine(time, make(time) { current.dependency.callSuspending() })
            }

        /** An operation that returns a future. */
        @JvmStatic
        public fun async(
            make: (VirtualTime, () -> CompletableFuture<String>) -> Supplier<out CompletableFuture<*>>,
        ): Subject = Subject { time, current ->
            AsyncOperation.ofFuture(time, make(time) { current.dependency.callAsync() })
        }
    }
}
