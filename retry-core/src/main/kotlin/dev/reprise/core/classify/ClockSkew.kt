package dev.reprise.core.classify

import kotlin.math.abs

/**
 * Learns from the `Date` of a response how far the server's clock is from ours, and makes failures that a wrong clock
 * causes retryable: put it first with `classifyFirst`, and sign every attempt with [now].
 *
 * A code that can mean nothing else is retried at once; one that may also mean a wrong key only if the two clocks are
 * [thresholdMillis] apart or more (spec 4). Holds the one thing it has learned, for all calls of a client; a policy with it
 * cannot be written as JSON. Safe for any number of threads.
 */
public class ClockSkew
@JvmOverloads
constructor(
    private val clock: WallClock,
    /** The codes that always speak of a wrong clock. */
    public val definiteCodes: Set<String> = DEFINITE_CODES,
    /** The codes that may speak of a wrong clock. */
    public val possibleCodes: Set<String> = POSSIBLE_CODES,
    /** How far the clocks must be apart before a possible code counts, in ms. */
    public val thresholdMillis: Long = 240_000,
) : Classifier {
    /** The caller's wall clock. */
    public fun interface WallClock {
        /** The time in ms since 1970. */
        public fun epochMillis(): Long
    }

    /** What to add to our clock for the server's time, in ms; 0 until a skew was found. */
    @Volatile
    public var offsetMillis: Long = 0
        private set

    init {
        require(thresholdMillis >= 0) { "thresholdMillis must not be negative: $thresholdMillis" }
    }

    /** The server's time as far as it is known, in ms since 1970: what to sign with. */
    public fun now(): Long = clock.epochMillis() + offsetMillis

    override fun classifyFailure(failure: Throwable): Verdict? = httpOf(failure)?.let(::classify)

    override fun classifyResult(result: Any?): Verdict? =
        if (result is HttpOutcome && result.status >= FIRST_FAILURE) classify(result) else null

    override val resultScope: ResultScope get() = ResultScope.HTTP

    private fun classify(response: HttpOutcome): Verdict? {
        val code = response.errorCode ?: return null
        val isDefinite = code in definiteCodes
        if (!isDefinite && code !in possibleCodes) return null
        val skew = skewMillis(response)
        if (!isDefinite && (skew == null || abs(skew) < thresholdMillis)) return null
        if (skew != null) offsetMillis = skew
        return Verdict.Retry(FailureKind.TRANSIENT, "clock skew, code $code")
    }

    private fun skewMillis(response: HttpOutcome): Long? {
        val server = response.header("date")?.let { HttpDate.parse(it.trim(' ', '\t')) } ?: return null
        val received = response.receivedAtEpochMillis
        return server.toEpochMilli() - if (received == HttpOutcome.UNKNOWN_TIME) clock.epochMillis() else received
    }

    override fun toString(): String = "clock skew"

    public companion object {
        /** What all SDKs take for a wrong clock. */
        @JvmField
        public val DEFINITE_CODES: Set<String> = setOf("RequestTimeTooSkewed", "RequestExpired", "RequestInTheFuture")

        /** What all SDKs take for a wrong clock if the clocks are apart. */
        @JvmField
        public val POSSIBLE_CODES: Set<String> =
            setOf("InvalidSignatureException", "SignatureDoesNotMatch", "AuthFailure")

        private const val FIRST_FAILURE = 400
    }
}
