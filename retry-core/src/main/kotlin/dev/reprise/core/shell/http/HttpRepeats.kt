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

    private val unnamed = Repeat.entries.associateWith { allowed ->
        Repeat.entries.associateWith { CallOptions.DEFAULT.repeated(it, allowed) }
    }

    /** The options of an unnamed call that may be repeated as [repeat] says; the same object each time. */
    @JvmStatic
    public fun optionsOf(repeat: Repeat): CallOptions = optionsOf(null, repeat, repeat)

    /** The options that a request [own] has, over those of the calls of its retrier; `null` for none. */
    @JvmStatic
    public fun asked(own: CallOptions?, ofRetrier: CallOptions): CallOptions? = when {
        ofRetrier === CallOptions.DEFAULT -> own
        own == null -> ofRetrier
        else -> own.over(ofRetrier)
    }

    /** The options of a request whose body or work is good for one attempt: [asked], or an unnamed call's. */
    @JvmStatic
    public fun once(asked: CallOptions?): CallOptions =
        optionsOf(asked, Repeat.NEVER, if (asked?.repeat == Repeat.NEVER) Repeat.NEVER else Repeat.SAFE)

    /**
     * The options of a request: [asked]; where they do not say whether it may be repeated, [isIdempotent] decides. A body
     * that [isOneShot] is never sent twice. It [isUnproven] if no failure proves that nothing was sent.
     */
    @JvmStatic
    @JvmOverloads
    public fun optionsOf(
        asked: CallOptions?,
        isIdempotent: Boolean,
        isOneShot: Boolean,
        isUnproven: Boolean = false,
    ): CallOptions {
        val allowed = asked?.repeat ?: if (isIdempotent) Repeat.SAFE else Repeat.IF_UNSENT
        val repeat = if (isOneShot && allowed == Repeat.SAFE) Repeat.IF_UNSENT else allowed
        return optionsOf(asked, if (isUnproven && repeat == Repeat.IF_UNSENT) Repeat.NEVER else repeat, allowed)
    }

    private fun optionsOf(asked: CallOptions?, repeat: Repeat, allowed: Repeat) =
        asked?.repeated(repeat, allowed) ?: unnamed.getValue(allowed).getValue(repeat)
}
