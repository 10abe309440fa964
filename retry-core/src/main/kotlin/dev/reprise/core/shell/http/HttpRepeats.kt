package dev.reprise.core.shell.http

import dev.reprise.core.CallOptions
import dev.reprise.core.Repeat
import dev.reprise.core.shell.ShellApi

/**
 * Decides whether a request may be repeated. It may if its method, key or mark allows that and its body can be sent
 * again; otherwise only after a failure that proves that nothing was sent. The one place for all HTTP faces.
 * Thread-safe.
 */
@ShellApi
public object HttpRepeats {
    /** The methods that may be repeated (RFC 9110, section 9.2.2); their names are case-sensitive. */
    @JvmField
    public val IDEMPOTENT_METHODS: Set<String> = setOf("GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE")

    /** The headers that let a request be repeated whatever its method, unless the user names others. */
    @JvmField
    public val IDEMPOTENCY_KEYS: Set<String> = setOf("Idempotency-Key", "X-Idempotency-Key")

    private val unnamed = Repeat.entries.associateWith { CallOptions.DEFAULT.repeated(it) }

    /** The options of an unnamed call that may be repeated as [repeat] says; the same object each time. */
    @JvmStatic
    public fun optionsOf(repeat: Repeat): CallOptions = unnamed.getValue(repeat)

    /** The options that a request [own] has, over those of the calls of its retrier; `null` for none. */
    @JvmStatic
    public fun asked(own: CallOptions?, ofRetrier: CallOptions): CallOptions? = when {
        ofRetrier === CallOptions.DEFAULT -> own
        own == null -> ofRetrier
        else -> own.over(ofRetrier)
    }

    /** The options of a request that is sent once: [asked], or an unnamed call's. */
    @JvmStatic
    public fun once(asked: CallOptions?): CallOptions =
        if (asked == null) optionsOf(Repeat.NEVER) else asked.repeated(Repeat.NEVER)

    /**
     * The options of a request: [asked]; where they do not say whether it may be repeated, [isIdempotent] decides. A body
     * that [isOneShot] is never sent twice.
     */
    @JvmStatic
    public fun optionsOf(asked: CallOptions?, isIdempotent: Boolean, isOneShot: Boolean): CallOptions {
        val wanted = asked?.repeat ?: if (isIdempotent) Repeat.SAFE else Repeat.IF_UNSENT
        val repeat = if (isOneShot && wanted == Repeat.SAFE) Repeat.IF_UNSENT else wanted
        return if (asked == null) optionsOf(repeat) else asked.repeated(repeat)
    }
}
