package dev.reprise.grpc

import dev.reprise.java.internal.Elsewhere
import dev.reprise.java.internal.Once
import io.grpc.ClientCall
import io.grpc.Context
import io.grpc.Metadata
import io.grpc.Status
import java.util.concurrent.Executor

/** The caller of a call: its [listener], and the [context] and [executor] in which that is called. */
internal class Caller<R>(
    val listener: ClientCall.Listener<R>,
    private val context: Context,
    private val executor: Executor?,
) {
    /** Ends the call. */
    fun close(status: Status, trailers: Metadata) {
        try {
            listener.onClose(status, trailers)
        } catch (e: Throwable) {
            val thread = Thread.currentThread()
            thread.uncaughtExceptionHandler.uncaughtException(thread, e)
        }
    }

    /**
     * Runs [delivery] on the call's executor, which a blocking stub's thread waits on; without one, or if that does not take it at
     * once, on another thread: a limit is not late because an executor is full.
     */
    fun elsewhere(delivery: () -> Unit) {
        val task = context.wrap { delivery() }
        if (executor == null) Elsewhere.run(task) else Once(task).runSoonOn(executor, Elsewhere::run)
    }
}
