package dev.reprise.spring.observation

import io.micrometer.observation.Observation
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor
import org.reactivestreams.Publisher
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono
import reactor.core.publisher.Operators
import reactor.util.context.ContextView

/** Makes the observation in this context the current one of the thread until the scope is closed; `null` if there is none. */
internal fun ContextView.openObservation(): Observation.Scope? =
    getOrDefault<Observation>(ObservationThreadLocalAccessor.KEY, null)?.takeUnless { it.isNoop }?.openScope()

/** Begins the calls of this mono below the observation in their subscriber's context. Unless told otherwise, Reactor has it there alone. */
internal fun <T : Any> Mono<T>.belowSubscriber(): Mono<T> = Mono.fromDirect(begunBelow(this))

/** Begins the calls of this flux below the observation in their subscriber's context. */
internal fun <T : Any> Flux<T>.belowSubscriber(): Flux<T> = Flux.from(begunBelow(this))

private fun <T> begunBelow(calls: Publisher<T>) = Publisher<T> { subscriber ->
    Operators.toCoreSubscriber(subscriber).currentContext().openObservation().use { calls.subscribe(subscriber) }
}
