package dev.reprise.spring.method

import java.util.concurrent.CancellationException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ConcurrentHashMap

/** The futures of calls that have not ended. A close ends them, and those that begin later. Thread-safe. */
internal class OpenCalls {
    private val calls = ConcurrentHashMap.newKeySet<CompletableFuture<*>>()

    @Volatile
    private var isClosed = false

    operator fun plusAssign(call: CompletableFuture<*>) {
        calls += call
        call.whenComplete { _, _ -> calls -= call }
        // Either this sees the close, or the close sees the call.
        if (isClosed) end(call)
    }

    fun close() {
        isClosed = true
        calls.forEach(::end)
    }

    private fun end(call: CompletableFuture<*>) {
        call.completeExceptionally(CancellationException("the application context has closed"))
    }
}
