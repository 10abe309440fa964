package dev.reprise.spring.method

import dev.reprise.core.CallOptions
import dev.reprise.coroutines.Retrier
import dev.reprise.reactor.flux
import dev.reprise.reactor.mono
import org.springframework.aop.ProxyMethodInvocation
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono

/** A method that returns a `Mono`. An attempt calls it and subscribes. */
internal class MonoMethod(
    private val retrier: Retrier,
    private val options: CallOptions,
    private val scope: AttemptScope,
) : RetriedMethod {
    @Suppress("UNCHECKED_CAST")
    override fun call(invocation: ProxyMethodInvocation): Any =
        scope.calls(retrier.mono(options) { scope.mono(it, invocation.invocableClone().proceed() as Mono<Any>) })
}

/** A method that returns a `Flux`. An attempt calls it and subscribes; it is repeated only before its first element. */
internal class FluxMethod(
    private val retrier: Retrier,
    private val options: CallOptions,
    private val scope: AttemptScope,
) : RetriedMethod {
    @Suppress("UNCHECKED_CAST")
    override fun call(invocation: ProxyMethodInvocation): Flux<Any> =
        scope.calls(retrier.flux(options) { scope.flux(it, invocation.invocableClone().proceed() as Flux<Any>) })
}
