package dev.reprise.spring.observation

import dev.reprise.core.RetryEvent
import dev.reprise.core.Verdict
import io.micrometer.observation.Observation
import io.micrometer.observation.ObservationRegistry

/** The observations of one call's attempts. Confined to its call, but for [attempt], which an attempt's own threads read. */
internal class ObservedCall(
    private val registry: ObservationRegistry,
    private val client: String,
    event: RetryEvent.CallStarted,
) {
    private val parent = registry.currentObservation
    private val operation = event.operation ?: "none"

    /** The observation of the attempt under way; `null` if observations are switched off: a no-op must not hide the caller's. */
    @Volatile
    var attempt: Observation? = null
        private set

    fun attemptStarted(event: RetryEvent.AttemptStarted) {
        attempt = Observation.createNotStarted(RetryObservations.NAME, registry)
            .contextualName("attempt")
            .parentObservation(parent)
            .lowCardinalityKeyValue("client", client)
            .lowCardinalityKeyValue("attempt", if (event.attempt < MOST) "${event.attempt}" else "$MOST+")
            // For an observation that is read before its end: the names of key values must not change.
            .lowCardinalityKeyValue("outcome", "none")
            .highCardinalityKeyValue("operation", operation)
            .start()
            .takeUnless { it.isNoop }
    }

    /** Ends the attempt. A call gives up only after that, or before its next attempt begins. */
    fun attemptFailed(event: RetryEvent.AttemptFailed) {
        event.failure?.let { attempt?.error(it) }
        ends((event.verdict as? Verdict.Retry)?.kind?.name?.lowercase() ?: "rejected")
    }

    /** Ends the attempt under way, if there is one, with this [outcome]. */
    fun ends(outcome: String) {
        attempt?.lowCardinalityKeyValue("outcome", outcome)?.stop()
        attempt = null
    }
}

private const val MOST = 5
