package dev.reprise.coroutines

import dev.reprise.core.shell.layers.CallPlace
import dev.reprise.core.shell.layers.Moments
import dev.reprise.core.shell.layers.ThreadScope
import dev.reprise.coroutines.shell.CalledFrom
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.Job
import java.lang.ref.WeakReference
import kotlin.coroutines.Continuation
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.jvm.internal.CoroutineStackFrame

/**
 * The scope of an attempt in the coroutine of [context]: the calls of that coroutine, and those of coroutines inside a scope
 * (`coroutineScope`, `withContext`) that the attempt opened. An attempt that never suspended ran on one thread, [from] a
 * moment [to] another, and holds what was made there, too; for others both are 0. A shell that runs attempts by another
 * library names them in that library's context, see [CalledFrom.attempts].
 */
internal class SuspendScope(madeAt: Long, from: Long, to: Long, private val context: CoroutineContext) :
    ThreadScope(madeAt, from, to) {
    override fun holds(place: CallPlace): Boolean =
        super.holds(place) || (place is CoroutinePlace && context[Job]?.let(place::isInside) == true) ||
            context[CalledFrom]?.attempts?.isAround(place.inside) == true

    override fun place(): CallPlace = CoroutinePlace(super.place().moment, context)

    companion object {
        /** The scope of an attempt that has just ended here; [from] is 0 if it has suspended. */
        fun of(madeAt: Long, from: Long, context: CoroutineContext) =
            SuspendScope(madeAt, from, if (from == 0L) 0 else Moments.now(), context)
    }
}

/** Where a call of a coroutine was made: the jobs whose coroutines wait for the call, its own first. */
private class CoroutinePlace(moment: Long, context: CoroutineContext) :
    CallPlace(moment, CalledFrom.named(context)) {
    private val waiting = waitingFor(context)

    fun isInside(job: Job) = waiting.any { it.get() === job }
}

private const val MOST_JOBS = 16

/**
 * The job of [context], and those of the coroutines that are in the middle of opening a scope around it. Such a scope
 * continues a frame of the stack of its caller, which is its parent unless it is `withContext(NonCancellable)`. A child that was
 * started beside its parent's code, as by `async`, does not: it may be older than an attempt of its parent's. Nor does any
 * coroutine continue a scope that was made by hand: it may go on after the attempt that it was made in.
 */
@OptIn(ExperimentalCoroutinesApi::class)
private fun waitingFor(context: CoroutineContext): List<WeakReference<Job>> {
    var job = context[Job] ?: return emptyList()
    var from = context[CalledFrom]
    val waiting = ArrayList<WeakReference<Job>>(2)
    waiting += WeakReference(job)
    while (waiting.size < MOST_JOBS) {
        val caller = ((job as? CoroutineStackFrame)?.callerFrame as? Continuation<*>)?.context?.get(Job)
        val near = caller ?: job.parent
        val next = near ?: from?.job?.takeIf { job is Continuation<*> } ?: break
        if (near == null) from = from?.outer
        if (near == null || job is CoroutineStackFrame) waiting += WeakReference(next)
        job = next
    }
    return waiting
}
