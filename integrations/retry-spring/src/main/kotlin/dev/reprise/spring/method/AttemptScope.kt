package dev.reprise.spring.method

import dev.reprise.core.Attempt
import dev.reprise.spring.observation.RetryObservations
import dev.reprise.spring.observation.belowSubscriber
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono
import kotlin.coroutines.CoroutineContext

/** Puts attempts below the observation of their caller, and makes the observation of an attempt the current one. */
internal interface AttemptScope {
    /** Runs [work] of [attempt] on this thread. */
    fun <T> within(attempt: Attempt, work: () -> T): T = work()

    /** [work] of [attempt], with the observation in its subscriber's context. */
    fun mono(attempt: Attempt, work: Mono<Any>): Mono<Any> = work

    /** [work] of [attempt], with the observation in its subscriber's context. */
    fun flux(attempt: Attempt, work: Flux<Any>): Flux<Any> = work

    /** [calls], which begin below the observation in their subscriber's context. */
    fun calls(calls: Mono<Any>): Mono<Any> = calls

    /** [calls], which begin below the observation in their subscriber's context. */
    fun calls(calls: Flux<Any>): Flux<Any> = calls

    /** The context of the coroutine that makes the attempts of [caller]: its own observation is current, else its Reactor context's. */
    fun around(caller: CoroutineContext): CoroutineContext = caller

    /** The context of the coroutine of [attempt]: the attempt's observation is current, which is in its Reactor context. */
    fun inside(attempt: Attempt, caller: CoroutineContext): CoroutineContext = caller

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

        override fun calls(calls: Mono<Any>): Mono<Any> = calls.belowSubscriber()

        override fun calls(calls: Flux<Any>): Flux<Any> = calls.belowSubscriber()

        // A type of coroutines: it is loaded only if there is one. Of two elements that set one thread-local the last counts.
        override fun around(caller: CoroutineContext): CoroutineContext = CurrentObservation + caller

        override fun inside(attempt: Attempt, caller: CoroutineContext): CoroutineContext =
            if (observations.observationOf(attempt) == null) around(caller) else caller + CurrentObservation
    }
}
