package dev.reprise.spring.method

import dev.reprise.spring.observation.openObservation
import io.micrometer.observation.Observation
import kotlinx.coroutines.ThreadContextElement
import kotlinx.coroutines.reactor.ReactorContext
import kotlin.coroutines.CoroutineContext

/** Makes the observation in a coroutine's Reactor context the current one of each thread that runs the coroutine. */
internal object CurrentObservation :
    ThreadContextElement<Observation.Scope?>,
    CoroutineContext.Key<CurrentObservation> {
    override val key: CoroutineContext.Key<*> get() = this

    override fun updateThreadContext(context: CoroutineContext): Observation.Scope? =
        context[ReactorContext]?.context?.openObservation()

    override fun restoreThreadContext(context: CoroutineContext, oldState: Observation.Scope?) {
        oldState?.close()
    }
}
