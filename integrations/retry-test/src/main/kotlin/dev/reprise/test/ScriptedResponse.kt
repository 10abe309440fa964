package dev.reprise.test

import java.nio.charset.StandardCharsets

/** What a scripted server does with a request: responds after [afterNanos], or fails then with what [failure] makes. */
public class ScriptedResponse private constructor(
    /** The status. */
    public val status: Int,
    /** The body. */
    public val body: String,
    /** The headers, one value each. */
    public val headers: Map<String, String>,
    /** How long it takes in ns. */
    public val afterNanos: Long,
    /** Makes what the request fails with; `null` for a response. */
    public val failure: (() -> Throwable)?,
) {
    internal val bytes: ByteArray get() = body.toByteArray(StandardCharsets.UTF_8)

    /** This, but after [nanos]. */
    public fun after(nanos: Long): ScriptedResponse = ScriptedResponse(status, body, headers, nanos, failure)

    override fun toString(): String = (failure?.invoke()?.toString() ?: "HTTP $status") + " after $afterNanos ns"

    public companion object {
        /** A response of [status], at once. */
        @JvmStatic
        @JvmOverloads
        public fun status(status: Int, body: String = "", headers: Map<String, String> = emptyMap()): ScriptedResponse =
            ScriptedResponse(status, body, headers, 0, null)

        /** A request that fails with what [failure] makes, at once. */
        @JvmStatic
        public fun failure(failure: () -> Throwable): ScriptedResponse = ScriptedResponse(0, "", emptyMap(), 0, failure)
    }
}
