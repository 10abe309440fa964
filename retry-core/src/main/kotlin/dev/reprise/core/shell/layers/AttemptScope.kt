package dev.reprise.core.shell.layers

import dev.reprise.core.shell.ShellApi

/**
 * The scope of an attempt: what a shell reports with the attempt's end. It says which calls were made inside the attempt, and
 * where the attempt's own call was made. A false yes takes a call's retries, so what is not known is a no.
 */
@ShellApi
public abstract class AttemptScope {
    /** Whether a call made at [place], which gave up after this attempt began, was made inside this attempt. */
    public abstract fun holds(place: CallPlace): Boolean

    /** Where the call of this attempt was made. Asked once the call gives up, on the thread that it ends on. */
    public abstract fun place(): CallPlace
}

/** Where a call was made: a [moment] of a thread, and what its shell adds. Holds neither threads nor coroutines. Immutable. */
@ShellApi
public open class CallPlace(
    /** The moment at which the call was made, or, of a call that blocked its thread, gave up; 0 if that is not known. */
    public val moment: Long,
    /** The innermost attempt around the call that a context names; `null` for none. */
    public val inside: EnclosingAttempt? = null,
)

/** Names an attempt in a context that calls inside it inherit. Compared by identity; holds no more than those around it. */
@ShellApi
public class EnclosingAttempt(
    /** The next attempt around this one. */
    private val around: EnclosingAttempt?,
) {
    /** Whether this is [inner] or an attempt around it. */
    public fun isAround(inner: EnclosingAttempt?): Boolean = generateSequence(inner) { it.around }.any { it === this }
}

/** The scope of an attempt that ran on one thread between two [Moments], or the part of it that did. */
@ShellApi
public open class ThreadScope(
    /** When the call was made; 0 if it blocks its thread. */
    private val madeAt: Long,
    private val from: Long,
    private val to: Long,
) : AttemptScope() {
    override fun holds(place: CallPlace): Boolean = Moments.isWithin(place.moment, from, to)

    /** A call that blocks its thread gives up inside whatever it was made in: that needs no note when it begins. */
    override fun place(): CallPlace = CallPlace(if (madeAt == 0L) Moments.next() else madeAt)

    public companion object {
        /** Holds nothing: says where a blocking call was made. */
        @JvmField
        public val BLOCKING: AttemptScope = ThreadScope(0, 0, 0)

        /** The scope of an attempt of a blocking call, which ran on this thread [from] that moment until now. */
        @JvmStatic
        public fun blocking(from: Long): AttemptScope = ThreadScope(0, from, Moments.now())
    }
}
