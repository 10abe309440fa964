package dev.reprise.core.shell.http

import dev.reprise.core.CallOptions
import dev.reprise.core.shell.ShellApi
import java.util.function.Predicate

/**
 * Whether a request may be repeated: if its method, key or mark allows that and its body can be sent again; otherwise only
 * after a failure that proves that nothing was sent. A body that can be sent once, and that no connection has opened, may
 * still be sent. Immutable.
 */
@ShellApi
public class RepeatRule(keys: Set<String>) {
    private val keys = keys.toSet()

    /**
     * The options of a request with this [method] and the headers that [hasHeader] knows; [own] are those that its user gave.
     * [isOneShot] is that of its body. It [isUnproven] if a failure of its client never proves that nothing was sent.
     */
    @JvmOverloads
    public fun optionsOf(
        own: CallOptions?,
        method: String,
        isOneShot: Boolean,
        isUnproven: Boolean = false,
        hasHeader: Predicate<String>,
    ): CallOptions {
        val isIdempotent = method in HttpRepeats.IDEMPOTENT_METHODS || keys.any(hasHeader::test)
        return HttpRepeats.optionsOf(own, isIdempotent, isOneShot, isUnproven)
    }
}
