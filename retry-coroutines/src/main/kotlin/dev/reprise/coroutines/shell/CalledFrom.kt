package dev.reprise.coroutines.shell

import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.layers.EnclosingAttempt
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

    /**
     * Names the attempts of the call that is made in the coroutine with this element. The shell puts it into a context of the
     * other library that the calls inside an attempt inherit.
     */
    public val attempts: EnclosingAttempt = EnclosingAttempt(named(context))

    /** The key of the element. */
    public companion object Key : CoroutineContext.Key<CalledFrom> {
        /** Returns the attempt that a coroutine's context names for another library, or `null`. Set once, by the shell of that library. */
        @Volatile
        public var named: (CoroutineContext) -> EnclosingAttempt? = { null }
    }
}
