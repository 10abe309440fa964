package dev.reprise.opentelemetry

import dev.reprise.core.Attempt
import io.opentelemetry.context.Context
import io.opentelemetry.context.Scope
import kotlinx.coroutines.ThreadContextElement
import kotlinx.coroutines.withContext
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext

/**
 * Runs [block] with the span of [attempt] as the current one, on every thread of the coroutine, and returns its result.
 * The caller's own context is current again afterwards, also when [block] throws or is cancelled.
 */
public suspend fun <T> RetryTracing.inSpan(attempt: Attempt, block: suspend () -> T): T =
    withContext(CurrentContext(contextOf(attempt))) { block() }

/** Makes [context] the current one wherever the coroutine runs. */
private class CurrentContext(private val context: Context) :
    AbstractCoroutineContextElement(Key),
    ThreadContextElement<Scope> {
    override fun updateThreadContext(context: CoroutineContext): Scope = this.context.makeCurrent()

    override fun restoreThreadContext(context: CoroutineContext, oldState: Scope) = oldState.close()

    private companion object Key : CoroutineContext.Key<CurrentContext>
}
