package dev.reprise.reactor

import dev.reprise.core.shell.layers.EnclosingAttempt
import kotlinx.coroutines.reactor.ReactorContext
import kotlin.coroutines.CoroutineContext

/** Reads the attempt around a coroutine that was started inside a mono, as by `mono { }`. Apart, so that its types are loaded only if they are there. */
internal object CoroutineAttempts : (CoroutineContext) -> EnclosingAttempt? {
    private val key: CoroutineContext.Key<ReactorContext> = ReactorContext

    override fun invoke(context: CoroutineContext): EnclosingAttempt? =
        context[key]?.context?.getOrDefault<EnclosingAttempt>(EnclosingAttempt::class.java, null)
}
