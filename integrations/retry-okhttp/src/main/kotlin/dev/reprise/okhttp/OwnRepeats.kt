package dev.reprise.okhttp

import dev.reprise.core.Classifier
import dev.reprise.core.FailureKind
import dev.reprise.core.Repeat
import dev.reprise.core.ResultScope
import dev.reprise.core.TransportErrors
import dev.reprise.core.Verdict
import dev.reprise.core.shell.call.AroundClassifier
import dev.reprise.core.shell.values.parts

/**
 * Whether OkHttp may repeat a request by itself, after a failure on a kept connection or a 408. If the policy repeats,
 * OkHttp's repeat would be a second retry beside it, except in the last attempt: a pool of stale connections must not
 * use up all attempts.
 */
internal enum class OwnRepeats {
    /** As the client is set. */
    AS_SET,

    /** As the client is set in the last attempt, also where the quota makes it the last, never before. */
    LAST,

    /** Never. */
    OFF,
    ;

    /** Whether the client's setting holds in an attempt that [isLast] or not. */
    fun areAllowed(isLast: Boolean): Boolean = this == AS_SET || (this == LAST && isLast)

    companion object {
        /** The repeats of a request under [classifier] that may be repeated as [repeat] says, and is sent once if [isOnce]. */
        fun of(repeat: Repeat?, isOnce: Boolean, classifier: Classifier): OwnRepeats = when {
            isOnce -> OFF
            repeat == Repeat.SAFE && (classifier as? WithOwnRepeats)?.takesOver == true -> LAST
            else -> AS_SET
        }
    }
}

/**
 * The policy's classifier [inner], and a retry for the 408 that OkHttp would have repeated: no call ends worse than it
 * does without retries because OkHttp's own repeats are off. A cache that has nothing says 504, and no server is asked:
 * there is nothing to wait for.
 */
internal class WithOwnRepeats(inner: Classifier) : AroundClassifier(inner) {
    /** Whether the policy repeats what OkHttp would. One that does not retry the transport's errors has OkHttp's repeats. */
    val takesOver: Boolean = TransportErrors in inner.parts()

    override fun classifyResult(result: Any?): Verdict? {
        val verdict = super.classifyResult(result)
        if (result !is OkHttpOutcome) return verdict
        return when (verdict) {
            is Verdict.Retry -> if (result.isOfCacheAlone) Verdict.Reject else verdict
            else -> if (result.replacesOwnRepeat) AS_OKHTTP else verdict
        }
    }

    override val resultScope: ResultScope get() = maxOf(super.resultScope, ResultScope.HTTP)
}

private val AS_OKHTTP = Verdict.Retry(FailureKind.TRANSIENT, "408, which OkHttp repeats")
