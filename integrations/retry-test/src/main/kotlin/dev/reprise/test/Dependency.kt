package dev.reprise.test

import kotlinx.coroutines.awaitCancellation
import java.util.concurrent.CompletableFuture
import kotlin.time.Duration

/** The remote call in the code under test, which a [FaultProbe] lets fail. The same call in three forms. */
public class Dependency internal constructor(
    private val time: VirtualTime,
    private val cap: Int,
    private val isCancelledAt: Int,
    private val failure: (call: Int) -> Throwable?,
) {
    private val at = mutableListOf<Long>()

    internal var cancel: () -> Unit = {}

    /** When it was called, in ns. */
    public val callsAt: List<Long> get() = at.toList()

    /** How often it was called. */
    public val calls: Int get() = at.size

    /** Makes the call on this thread. */
    public fun call(): String {
        if (begin()) {
            cancel()
            // As every blocking method does: the exception takes the flag with it.
            Thread.interrupted()
            throw InterruptedException("cancelled in call $calls")
        }
        failure(calls)?.let { throw it }
        return DONE
    }

    /** Makes the call in a coroutine. */
    public suspend fun callSuspending(): String {
        if (begin()) {
            cancel()
            awaitCancellation()
        }
        failure(calls)?.let { throw it }
        return DONE
    }

    /** Starts the call. */
    public fun callAsync(): CompletableFuture<String> {
        if (begin()) {
            time.after(Duration.ZERO) { cancel() }
            return CompletableFuture()
        }
        val failure = failure(calls)
        return if (failure == null) CompletableFuture.completedFuture(DONE) else CompletableFuture.failedFuture(failure)
    }

    /** Returns whether the caller goes now. */
    private fun begin(): Boolean {
        at += time.nanoTime()
        if (calls > cap) throw RunawayError(cap)
        return calls == isCancelledAt
    }

    internal val isRunaway: Boolean get() = calls > cap

    /** Ends a loop that has no cap. An error, so that few loops catch it. */
    internal class RunawayError(cap: Int) : Error("more than $cap calls")

    internal companion object {
        const val DONE = "done"
    }
}
