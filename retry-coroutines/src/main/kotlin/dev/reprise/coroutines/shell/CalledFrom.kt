package dev.reprise.coroutines.shell

import dev.reprise.core.shell.ShellApi
import kotlinx.coroutines.Job
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext

/**
 * Put into the context of a coroutine without a parent, names the coroutine that waits for it: that of [context]. For shells
 * that call a suspend function through another library, inside an attempt.
 */
@ShellApi
public class CalledFrom(context: CoroutineContext) : AbstractCoroutineContextElement(Key) {
    internal val job: Job? = context[Job]
    internal val outer: CalledFrom? = context[Key]

    /** The key of the element. */
    public companion object Key : CoroutineContext.Key<CalledFrom>
}
