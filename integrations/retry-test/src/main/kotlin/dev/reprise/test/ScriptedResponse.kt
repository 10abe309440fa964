package dev.reprise.test

import java.nio.charset.StandardCharsets
import kotlin.time.Duration
import kotlin.time.toKotlinDuration
import java.time.Duration as JavaDuration

/**
 * A scripted server's reaction to a request: after the delay [after] it responds, or fails with the exception from
 * [failure].
 */
public class ScriptedResponse private constructor(
    /** The status. */
    internal val status: Int,
    /** The body. */
    internal val body: String,
    /** The headers, one value each. */
    internal val headers: Map<String, String>,
    /** How long it takes. */
    internal val after: Duration,
    /** Makes what the request fails with; `null` for a response. */
    internal val failure: (() -> Throwable)?,
) {
    internal val bytes: ByteArray get() = body.toByteArray(StandardCharsets.UTF_8)

    /** This, but after [duration]. */
    @JvmSynthetic
    public fun after(duration: Duration): ScriptedResponse = ScriptedResponse(status, body, headers, duration, failure)

    /** This, but after [duration]. For Java. */
    public fun after(duration: JavaDuration): ScriptedResponse = after(duration.toKotlinDuration())

    override fun toString(): String = (failure?.invoke()?.toString() ?: "HTTP $status") + " after $after"

    public companion object {
        /** A response of [status], at once. */
        @JvmStatic
        @JvmOverloads
        public fun status(status: Int, body: String = "", headers: Map<String, String> = emptyMap()): ScriptedResponse =
            ScriptedResponse(status, body, headers, Duration.ZERO, null)

        /** A request that fails at once with the exception from [failure]. */
        @JvmStatic
        public fun failure(failure: () -> Throwable): ScriptedResponse =
            ScriptedResponse(0, "", emptyMap(), Duration.ZERO, failure)
    }
}
