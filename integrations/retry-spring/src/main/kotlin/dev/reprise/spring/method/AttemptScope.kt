package dev.reprise.spring.method

import dev.reprise.core.Attempt
import dev.reprise.spring.observation.RetryObservations
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono

/** Makes the observation of an attempt the current one. */
internal interface AttemptScope {
    /** Runs [work] of [attempt] on this thread. */
    fun <T> within(attempt: Attempt, work: () -> T): T = work()

    /** [work] of [attempt], with the observation in its subscriber's context. */
    fun mono(attempt: Attempt, work: Mono<Any>): Mono<Any> = work

    /** [work] of [attempt], with the observation in its subscriber's context. */
    fun flux(attempt: Attempt, work: Flux<Any>): Flux<Any> = work

    /** No attempt is observed. */
    object None : AttemptScope

    /** Apart, so that its types are loaded only if they are there. */
    class Observed(private val observations: RetryObservations) : AttemptScope {
        override fun <T> within(attempt: Attempt, work: () -> T): T {
            val observation = observations.observationOf(attempt) ?: return work()
            return observation.openScope().use { work() }
        }

        override fun mono(attempt: Attempt, work: Mono<Any>): Mono<Any> {
            val observation = observations.observationOf(attempt) ?: return work
            return work.contextWrite { it.put(ObservationThreadLocalAccessor.KEY, observation) }
        }

        override fun flux(attempt: Attempt, work: Flux<Any>): Flux<Any> {
            val observation = observations.observationOf(attempt) ?: return work
            return work.contextWrite { it.put(ObservationThreadLocalAccessor.KEY, observation) }
        }
    }
}
