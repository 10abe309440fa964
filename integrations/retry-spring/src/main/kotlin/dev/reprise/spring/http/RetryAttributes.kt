package dev.reprise.spring.http

import dev.reprise.core.CallOptions
import dev.reprise.core.Repeat
import java.util.function.Consumer

/**
 * A request's own retry settings, as attributes of RestClient and WebClient:
 *
 * ```kotlin
 * client.post().uri("/orders").attributes(RetryAttributes.IDEMPOTENT).body(order)
 * ```
 */
public object RetryAttributes {
    /** The name of the attribute; its value is a [CallOptions]. */
    public const val NAME: String = "dev.reprise.options"

    /** Repeating the request does no harm, with any method. A body that can be sent once is not sent again. */
    @JvmField
    public val IDEMPOTENT: Consumer<MutableMap<String, Any>> = of(CallOptions { repeat = Repeat.SAFE })

    /** Sends the request once. */
    @JvmField
    public val NO_RETRY: Consumer<MutableMap<String, Any>> = of(CallOptions { repeat = Repeat.NEVER })

    /**
     * Names the operation for listeners, says how long it may take and whether it may be repeated. Method and idempotency
     * key decide that if [options] do not. Replaces [IDEMPOTENT] and [NO_RETRY].
     */
    @JvmStatic
    public fun of(options: CallOptions): Consumer<MutableMap<String, Any>> = Consumer { it[NAME] = options }
}
