@file:OptIn(ExperimentalCoroutinesApi::class, InternalCoroutinesApi::class)

package dev.reprise.conformance.faults

import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Delay
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.InternalCoroutinesApi
import kotlinx.coroutines.Job
import kotlinx.coroutines.async
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionException
import java.util.concurrent.ExecutionException
import kotlin.coroutines.CoroutineContext

/*
 * Who makes a call: a coroutine, this thread, or whoever holds a future. Each may be gone before the call is over.
 */

internal fun World.inCoroutine(block: suspend CoroutineScope.() -> Any?): End {
    val job = Job()
    saboteur.cancel = { job.cancel() }
    cancelsInTime()
    if (plan.isUnwanted) saboteur.cancelNow()
    val dispatcher = if (plan.isInPlace) InPlace(time.dispatcher) else time.dispatcher
    val scope = CoroutineScope(dispatcher + job)
    val end = time.run { scope.async(start = CoroutineStart.UNDISPATCHED, block = block) }
    time.until { end.isCompleted }
    job.cancel()
    return try {
        End(end.getCompleted(), null)
    } catch (e: Throwable) {
        End(null, e)
    }
}

/** Resumes coroutines where they are resumed, as one of an executor that runs its tasks at once: so does a cancellation. */
private class InPlace(time: CoroutineDispatcher) :
    CoroutineDispatcher(),
    Delay by time as Delay {
    override fun dispatch(context: CoroutineContext, block: Runnable) = block.run()
}

internal fun World.onThisThread(block: () -> Any?): End {
    val end = try {
        End(block(), null)
    } catch (e: Throwable) {
        End(null, e)
    }
    end.isInterrupted = Thread.interrupted()
    return end
}

internal fun World.asFuture(block: () -> CompletableFuture<*>): End {
    val future = try {
        block()
    } catch (e: Throwable) {
        return End(null, e)
    }
    saboteur.cancel = { future.cancel(true) }
    // What depends on a future is users' code too.
    future.whenComplete { _, _ -> saboteur.use(Site.DEPENDENT) }
    cancelsInTime()
    time.until { future.isDone }
    return onThisThread {
        try {
            future.get()
        } catch (e: ExecutionException) {
            throw e.cause ?: e
        } catch (e: CompletionException) {
            throw e.cause ?: e
        }
    }
}
