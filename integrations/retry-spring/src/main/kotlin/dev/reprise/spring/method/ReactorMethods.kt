package dev.reprise.spring.method

import dev.reprise.core.CallOptions
import dev.reprise.coroutines.Retrier
import dev.reprise.reactor.flux
import dev.reprise.reactor.mono
import org.springframework.aop.ProxyMethodInvocation
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono

/** A method that returns a `Mono`. An attempt calls it and subscribes. */
@Suppress("UNCHECKED_CAST")
internal fun monoMethod(retrier: Retrier, options: CallOptions, scope: AttemptScope) = RetriedMethod { invocation ->
    scope.calls(retrier.mono(options) { scope.mono(it, invocation.invocableClone().proceed() as Mono<Any>) })
}

/** A method that returns a `Flux`. An attempt calls it and subscribes; it is repeated only before its first element. */
internal fun fluxMethod(retrier: Retrier, options: CallOptions, scope: AttemptScope) =
    RetriedMethod { fluxOf(it, retrier, options, scope) }

/** The calls of a [fluxMethod]. */
@Suppress("UNCHECKED_CAST")
internal fun fluxOf(invocation: ProxyMethodInvocation, retrier: Retrier, options: CallOptions, scope: AttemptScope) =
    scope.calls(retrier.flux(options) { scope.flux(it, invocation.invocableClone().proceed() as Flux<Any>) })
