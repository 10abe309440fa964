package dev.reprise.spring.observation

import dev.reprise.core.Attempt
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.shell.text.FirstNames
import dev.reprise.java.JavaRetrierBuilder
import dev.reprise.spring.RetryConfigurer
import io.micrometer.observation.Observation
import io.micrometer.observation.ObservationRegistry
import java.util.concurrent.ConcurrentHashMap

/**
 * Makes an observation called [NAME] of each attempt. Its parent is the observation that is current where the call begins; for
 * methods with `@Retry` and for WebClient first the one in the subscriber's Reactor context.
 *
 * It observes the retriers of each `RetryRegistry(policies, listOf(observations))`. The starter does that where there is an
 * [ObservationRegistry].
 *
 * If it is a bean too, the attempt's observation is the current one in methods with `@Retry`: on the thread, for `Mono` and `Flux`
 * in the Reactor context; not for those that return a `Flow`. Elsewhere [observationOf] gives it.
 *
 * The names of its key values are in `docs/observability.md`. Safe for any number of threads.
 */
public class RetryObservations(private val registry: ObservationRegistry) :
    RetryListener,
    RetryConfigurer {
    private val calls = ConcurrentHashMap<Long, ObservedCall>()

    /** As many as the metrics tell apart by default: HTTP clients name retriers by host, and hosts have no bound. */
    private val clients = FirstNames(100) { it }

    /** How many calls have begun and not ended. */
    internal val openCalls: Int get() = calls.size

    override fun configure(name: String, builder: JavaRetrierBuilder) {
        builder.listener(this)
    }

    /** The observation of [attempt]; `null` if it is not observed. */
    public fun observationOf(attempt: Attempt): Observation? = calls[attempt.callId]?.attempt

    override fun onEvent(event: RetryEvent) {
        val call = event.callId
        when (event) {
            is RetryEvent.CallStarted -> calls[call] = ObservedCall(registry, clients[event.retrier], event)
            is RetryEvent.AttemptStarted -> calls[call]?.attemptStarted(event)
            is RetryEvent.AttemptFailed -> calls[call]?.attemptFailed(event)
            is RetryEvent.CallSucceeded -> calls.remove(call)?.ends("success")
            is RetryEvent.CallGaveUp -> calls.remove(call)
            is RetryEvent.CallCancelled -> calls.remove(call)?.ends("cancelled")
            else -> Unit
        }
    }

    override fun toString(): String = "RetryObservations"

    public companion object {
        /** The name of the observations. */
        public const val NAME: String = "reprise.attempt"
    }
}
