package dev.reprise.presets.clock

import dev.reprise.core.Classifier
import dev.reprise.core.FailureKind
import dev.reprise.core.HttpOutcome
import dev.reprise.core.ResultScope
import dev.reprise.core.Verdict
import dev.reprise.core.shell.time.MILLI
import dev.reprise.core.shell.time.nanosText
import dev.reprise.core.shell.time.toNanosSaturated
import dev.reprise.core.shell.values.httpOf
import dev.reprise.core.shell.values.sentAtEpochMillis
import java.util.Collections
import kotlin.math.abs
import kotlin.time.Duration
import kotlin.time.Duration.Companion.nanoseconds
import java.time.Duration as JavaDuration

/**
 * Makes failures that a wrong clock causes retryable. Put it first with `classifyFirst`, and sign every attempt with
 * the time of a [ServerClock], which learns the offset of the server's clock from ours.
 *
 * A code that may also mean a wrong key is retried only if the `Date` of the response differs by more than [threshold] from the
 * time of its receipt; not if either is unknown, or if the response comes out of a cache (it has the header `Age`). These are the
 * AWS SDKs' rules since July 2026, which know no definite codes. Immutable; compares by value.
 */
public class ClockSkew private constructor(builder: Builder) : Classifier {
    /** The codes that always speak of a wrong clock. */
    public val definiteCodes: Set<String> = builder.definiteCodes.toSet()

    /** The codes that may speak of a wrong clock. */
    public val possibleCodes: Set<String> = builder.possibleCodes.toSet()

    /** [threshold] in ns. */
    internal val thresholdNanos: Long = builder.thresholdNanos

    /** How far the clocks may be apart before a possible code counts. */
    @get:JvmSynthetic
    public val threshold: Duration get() = thresholdNanos.nanoseconds

    /** How far the clocks may be apart before a possible code counts. For Java. */
    public fun getThreshold(): JavaDuration = JavaDuration.ofNanos(thresholdNanos)

    override fun classifyFailure(failure: Throwable): Verdict? = httpOf(failure)?.let(::classify)

    override fun classifyResult(result: Any?): Verdict? = if (result is HttpOutcome) classify(result) else null

    override val resultScope: ResultScope get() = ResultScope.HTTP

    private fun classify(response: HttpOutcome): Verdict? =
        if (means(response)) Verdict.Retry(FailureKind.TRANSIENT, "clock skew, code ${response.errorCode}") else null

    private fun means(response: HttpOutcome): Boolean {
        if (response.status < FIRST_FAILURE) return false
        val code = response.errorCode ?: return false
        if (code in definiteCodes) return true
        val received = response.receivedAtEpochMillis
        if (code !in possibleCodes || received == HttpOutcome.UNKNOWN_TIME) return false
        val sent = response.sentAtEpochMillis() ?: return false
        return abs(sent - received) > thresholdNanos / MILLI
    }

    override fun equals(other: Any?): Boolean = other is ClockSkew && definiteCodes == other.definiteCodes &&
        possibleCodes == other.possibleCodes && thresholdNanos == other.thresholdNanos

    override fun hashCode(): Int =
        (definiteCodes.hashCode() * 31 + possibleCodes.hashCode()) * 31 + thresholdNanos.hashCode()

    override fun toString(): String = "clock skew of $threshold"

    /** Builds a [ClockSkew]. Not thread-safe. */
    public class Builder internal constructor() {
        internal var definiteCodes: Set<String> = Collections.emptySet()

        internal var possibleCodes: Set<String> = POSSIBLE_CODES

        /** [threshold] in ns. */
        internal var thresholdNanos: Long = DEFAULT_THRESHOLD
            set(value) {
                require(value >= 0) { "clockSkew.threshold must not be negative: ${nanosText(value)}" }
                field = value
            }

        /** Sets the codes that always speak of a wrong clock. */
        public fun definiteCodes(codes: Set<String>): Builder = apply { definiteCodes = codes }

        /** Sets the codes that may speak of a wrong clock. */
        public fun possibleCodes(codes: Set<String>): Builder = apply { possibleCodes = codes }

        /** Sets how far the clocks may be apart before a possible code counts; not negative. */
        @JvmSynthetic
        public fun threshold(threshold: Duration): Builder = apply { thresholdNanos = threshold.inWholeNanoseconds }

        /** Sets how far the clocks may be apart before a possible code counts; not negative. */
        public fun threshold(threshold: JavaDuration): Builder = apply { thresholdNanos = threshold.toNanosSaturated() }

        /** Returns the classifier. */
        public fun build(): ClockSkew = ClockSkew(this)
    }

    public companion object {
        /** The codes that SDKs before July 2026, and that for Java still, retry without a look at the `Date`. */
        @JvmField
        public val DEFINITE_CODES: Set<String> = setOf("RequestTimeTooSkewed", "RequestExpired", "RequestInTheFuture")

        /** The codes that mean a wrong clock if the clocks differ. */
        @JvmField
        public val POSSIBLE_CODES: Set<String> =
            setOf(
                "InvalidSignatureException",
                "SignatureDoesNotMatch",
                "AuthFailure",
                "RequestTimeTooSkewed",
                "AccessDeniedException",
            )

        private const val FIRST_FAILURE = 400
        private const val DEFAULT_THRESHOLD = 240_000_000_000

        /** [POSSIBLE_CODES] if the clocks differ by more than 4 minutes. */
        @JvmField
        public val STANDARD: ClockSkew = Builder().build()

        /** A builder that starts from [STANDARD]. */
        @JvmStatic
        public fun builder(): Builder = Builder()

        /** [STANDARD] with [changes]. */
        @JvmSynthetic
        public operator fun invoke(changes: Builder.() -> Unit): ClockSkew = Builder().apply(changes).build()
    }
}
