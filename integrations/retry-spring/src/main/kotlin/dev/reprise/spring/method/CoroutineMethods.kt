package dev.reprise.spring.method

import dev.reprise.core.CallOptions
import dev.reprise.core.shell.call.NoResult
import dev.reprise.core.shell.layers.EnclosingAttempt
import dev.reprise.core.shell.values.within
import dev.reprise.coroutines.CallDeadline
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.retry
import dev.reprise.coroutines.shell.CalledFrom
import kotlinx.coroutines.Job
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.emitAll
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.onEach
import kotlinx.coroutines.isActive
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.reactor.mono
import org.springframework.aop.ProxyMethodInvocation
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono
import kotlin.coroutines.Continuation

/**
 * A suspend function. Spring's proxies turn its call into a cold `Mono` and wait for the one that they are given; the loop in
 * between is that of `retrier { }`, in the caller's context. A function that [returnsNothing] has no result to judge.
 */
internal class SuspendMethod(
    private val retrier: Retrier,
    private val options: CallOptions,
    private val scope: AttemptScope,
    private val returnsNothing: Boolean,
) : RetriedMethod {
    @Suppress("UNCHECKED_CAST")
    override fun call(invocation: ProxyMethodInvocation): Any {
        val caller = invocation.arguments.last() as Continuation<Any?>
        val arguments = invocation.arguments.dropLast(1)
        val from = CalledFrom(caller.context)
        return mono(scope.around(caller.context).minusKey(Job) + from) {
            val result = retrier(options) {
                val context = scope.inside(it, caller.context) + CalledFrom(currentCoroutineContext())
                val own = Continuation(context, caller::resumeWith)
                val attempt = invocation.invocableClone(*(arguments + own).toTypedArray())
                val work = monoOf(attempt.proceed())
                    .contextWrite { it.put(EnclosingAttempt::class.java, from.attempts) }
                val end = endOf(scope.mono(it, work))
                if (returnsNothing) NoResult else end
            }
            if (result === NoResult) Unit else result
        }
    }

    /** [returned] as Spring's proxies take it: advice further in may have the result itself, as that of a cache has. */
    @Suppress("UNCHECKED_CAST")
    private fun monoOf(returned: Any?): Mono<Any> = returned as? Mono<Any> ?: Mono.justOrEmpty(returned)

    /** Waits for [attempt]. As a signal, so that its exception is thrown itself and not a copy made for its stack trace. */
    private suspend fun endOf(attempt: Mono<*>): Any? {
        val end = attempt.materialize().awaitSingle()
        end.throwable?.let { throw it }
        return end.get()
    }
}

/**
 * A suspend function that returns a `Flow`, of which Spring's proxies make one of the Flux that they are given. A collection that
 * begins while the function's caller still runs has what is left of the [CallDeadline] there, which no Flux knows.
 */
internal class SuspendFlowMethod(
    private val retrier: Retrier,
    private val options: CallOptions,
    private val scope: AttemptScope,
) : RetriedMethod {
    override fun call(invocation: ProxyMethodInvocation): Any {
        val caller = (invocation.arguments.last() as Continuation<*>).context
        return Flux.defer {
            val deadline = caller[CallDeadline]?.takeIf { caller.isActive }
            val bounded = deadline?.let { options.within(it.timeLeft.inWholeNanoseconds) } ?: options
            fluxOf(invocation, retrier, bounded, scope)
        }
    }
}

/** A function that returns a `Flow`. An attempt calls it and collects; it is repeated only before its first element. */
internal class FlowMethod(private val retrier: Retrier, private val options: CallOptions) : RetriedMethod {
    override fun call(invocation: ProxyMethodInvocation): Any = flow {
        var hasBegun = false
        val attempt = flow { emitAll(elements(invocation).onEach { hasBegun = true }) }
        emitAll(attempt.retry(retrier, options) { !hasBegun })
    }

    @Suppress("UNCHECKED_CAST")
    private fun elements(invocation: ProxyMethodInvocation) = invocation.invocableClone().proceed() as Flow<Any?>
}
