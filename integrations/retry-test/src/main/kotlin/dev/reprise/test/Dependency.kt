package dev.reprise.test

import kotlinx.coroutines.awaitCancellation
import java.util.concurrent.CompletableFuture
import java.util.concurrent.locks.LockSupport
import kotlin.coroutines.suspendCoroutine
import kotlin.time.Duration
import kotlin.time.Duration.Companion.nanoseconds

/** The remote call in the code under test, which a [FaultProbe] lets fail. The same call in three forms. Thread-safe. */
internal class Dependency(private val time: VirtualTime, private val script: Script) {
    /** The outcomes of the calls. */
    class Script(
        val cap: Int,
        val isCancelledAt: Int = 0,
        /** Whether each call returns another value, and takes a moment in which others may go on. */
        val tellsApart: Boolean = false,
        val failure: (call: Int) -> Throwable?,
    )

    private class Moment(val virtual: Long, val real: Long, val thread: Thread)

    private val at = mutableListOf<Moment>()

    /** Cancels the operation. */
    var cancel: () -> Unit = {}

    /** Runs during each call, with the call's number. */
    var during: (call: Int) -> Unit = {}

    /** Whether the operation went on calling after it was told to end, and will never hear of its last call. */
    @Volatile
    var isStuck: Boolean = false
        private set

    /** When it was called, in ns of the virtual time. */
    val callsAt: List<Long> get() = moments.map { it.virtual }

    /** How often it was called. */
    val calls: Int get() = synchronized(at) { at.size }

    /** How long it was between the calls. */
    val gaps: List<Gap> get() = gapsOf(moments)

    /** How long it was between the calls of [thread]. */
    fun gapsOn(thread: Thread): List<Gap> = gapsOf(moments.filter { it.thread == thread })

    private fun gapsOf(calls: List<Moment>) = calls.zipWithNext { a, b -> Gap(b.virtual - a.virtual, b.real - a.real) }

    val isRunaway: Boolean get() = calls > script.cap

    private val moments: List<Moment> get() = synchronized(at) { at.toList() }

    /** Makes the call on this thread. */
    fun call(): String {
        val call = begin { parkForGood() }
        if (call == script.isCancelledAt) {
            cancel()
            // As every blocking method does: the exception takes the flag with it.
            Thread.interrupted()
            throw InterruptedException("cancelled in call $call")
        }
        return end(call)
    }

    /** Makes the call in a coroutine. */
    suspend fun callSuspending(): String {
        val call = begin { suspendCoroutine<Nothing> { } }
        if (call == script.isCancelledAt) {
            cancel()
            awaitCancellation()
        }
        if (script.tellsApart) time.suspendFor(1.nanoseconds)
        return end(call)
    }

    /** Starts the call. */
    fun callAsync(): CompletableFuture<String> {
        val future = CompletableFuture<String>()
        val call = begin { return future }
        if (call == script.isCancelledAt) {
            time.after(Duration.ZERO) { cancel() }
            // If the operation cancels its own future alone, it hears of this one later.
            time.after(1.nanoseconds) { complete(future, call) }
        } else {
            complete(future, call)
        }
        return future
    }

    private fun complete(future: CompletableFuture<String>, call: Int) {
        try {
            future.complete(end(call))
        } catch (e: Throwable) {
            future.completeExceptionally(e)
        }
    }

    private fun end(call: Int): String {
        script.failure(call)?.let { throw it }
        return if (script.tellsApart) "$DONE in call $call of ${System.identityHashCode(this)}" else DONE
    }

    /** Returns the number of the call that begins. One too many fails with an error, and those after it [hang]. */
    private inline fun begin(hang: () -> Nothing): Int {
        val call = synchronized(at) {
            at += Moment(time.nanoTime(), System.nanoTime(), Thread.currentThread())
            at.size
        }
        during(call)
        if (call == script.cap + 1) throw RunawayError(script.cap)
        if (call > script.cap) {
            isStuck = true
            hang()
        }
        return call
    }

    private fun parkForGood(): Nothing {
        while (true) LockSupport.park(this)
    }

    /** Ends a loop that has no cap. An error, so that few loops catch it. */
    class RunawayError(cap: Int) : Error("more than $cap calls")

    companion object {
        const val DONE = "done"
    }
}

/** How long it was between two calls: in virtual time, or, of code that knows nothing of it, in real time. */
internal class Gap(val virtual: Long, val real: Long) {
    val isNone: Boolean get() = virtual == 0L && real < LEAST

    /** How long it was in real time, where the code waits in it. */
    val realWait: Long get() = if (virtual == 0L && real >= LEAST) real else 0

    /** Whether this is as long as [other], as far as can be told. */
    fun isLike(other: Gap): Boolean {
        if (virtual != other.virtual) return false
        val difference = (realWait - other.realWait).let { if (it < 0) -it else it }
        return difference <= ALIKE + maxOf(realWait, other.realWait) / 10
    }

    override fun toString(): String = "${virtual + realWait}"

    companion object {
        /** The delay that other work on the machine may add to some waits. */
        const val NOISE = 20_000_000L

        /** The delay that any machine may add to a wait. */
        private const val ALIKE = 5_000_000L

        /** No wait is shorter; two calls without a wait are nearly always closer. */
        private const val LEAST = 1_000_000L
    }
}
