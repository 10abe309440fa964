package dev.reprise.coroutines

import dev.reprise.core.Upstream
import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.call.ServedRequest
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.ThreadContextElement
import kotlinx.coroutines.withContext
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext

/**
 * Runs [block] as work for [upstream], the request that a server is serving, and returns its result. If that is a retry, every
 * call of a retrier in [block], and in the coroutines that it starts, makes one attempt: its caller sends the request again.
 * The calls of other libraries on those threads see it too, blocking ones and futures.
 *
 * A server's plugin does so by itself. Cancellation passes through.
 */
public suspend fun <T> withUpstream(upstream: Upstream, block: suspend CoroutineScope.() -> T): T =
    serving(ServedRequest(upstream, Retrier.SYSTEM_CLOCK), block)

/** [withUpstream] of a plugin, which asks [request] afterwards how its response is to be marked. */
@ShellApi
public suspend fun <T> serving(request: ServedRequest, block: suspend CoroutineScope.() -> T): T =
    withContext(request.asContextElement(), block)

/** [serving] for those who make a coroutine context themselves: puts this request on each thread that the coroutine runs on. */
@ShellApi
public fun ServedRequest.asContextElement(): ThreadContextElement<ServedRequest?> = ServedElement(this)

private class ServedElement(private val request: ServedRequest) :
    AbstractCoroutineContextElement(Key),
    ThreadContextElement<ServedRequest?> {
    override fun updateThreadContext(context: CoroutineContext): ServedRequest? = ServedRequest.putOnThread(request)

    override fun restoreThreadContext(context: CoroutineContext, oldState: ServedRequest?) {
        ServedRequest.putOnThread(oldState)
    }

    override fun toString(): String = "$request"

    companion object Key : CoroutineContext.Key<ServedElement>
}
