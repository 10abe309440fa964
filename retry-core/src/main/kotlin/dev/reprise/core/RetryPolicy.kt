package dev.reprise.core

import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.core.shell.time.durationOf
import dev.reprise.core.shell.time.javaLimitOf
import dev.reprise.core.shell.time.limitOf
import java.util.Collections
import kotlin.time.Duration
import java.time.Duration as JavaDuration

/**
 * How to retry: attempts, backoff, classification, quota, send rate and timeouts. Immutable, comparable, printable.
 * Apart from functions of your own, it can be written as JSON and read back equal. It holds no state; the state that
 * calls share is in a retrier.
 *
 * Made by `RetryPolicy { }` in Kotlin and [builder] in Java; both start from [STANDARD].
 */
public class RetryPolicy internal constructor(builder: RetryPolicyBuilder) {
    /** The most attempts of one call, the first among them; `Int.MAX_VALUE` for any number, 1 for no retries. */
    public val maxAttempts: Int = builder.maxAttempts

    /** How long to wait before a retry. */
    public val backoff: Backoff = builder.backoff

    /** Judges the outcome of an attempt. */
    public val classifier: Classifier = builder.classifier

    /** The headers in which servers ask for a delay that is kept; the first one that is there counts. */
    public val serverDelays: List<ServerDelayRule> = builder.serverDelays

    /** The cost of retries, or `null` if they are free. */
    public val quota: QuotaSettings? = builder.quota

    /** The settings of the send-rate limiter, or `null` if there is none: adaptive mode has one. */
    public val sendRate: SendRateSettings? = builder.sendRate

    /** The action of a call that gets no send permit at once. */
    public val onNoPermit: NoPermit = builder.onNoPermit

    /** Experimental. When a slow first attempt gets a copy, or `null` for never. */
    @ExperimentalReprise
    public val hedge: Hedge? = builder.hedge

    /** [deadline] in ns, [UNLIMITED_NANOS] for none. */
    internal val deadlineNanos: Long = builder.deadlineNanos

    /** [stopAfter] in ns, [UNLIMITED_NANOS] for none. */
    internal val stopAfterNanos: Long = builder.stopAfterNanos

    /** The time limits of the attempts in ns, in their order; the last holds for all further ones. Never empty. */
    internal val limits: List<Long> = builder.limits

    /** The longest that the attempt of this [number], from 1, may take, in ns; [UNLIMITED_NANOS] for any time. */
    internal fun attemptTimeoutNanos(number: Int): Long = limits[minOf(number, limits.size) - 1]

    /** The longest that a call may take with all attempts and waits; `null` for any time. */
    @get:JvmSynthetic
    public val deadline: Duration? get() = limitOf(deadlineNanos)

    /** The longest that a call may take with all attempts and waits; `null` for any time. For Java. */
    public fun getDeadline(): JavaDuration? = javaLimitOf(deadlineNanos)

    /** How long after the call began a retry may still begin; `null` for any time. An attempt under way is not cut. */
    @get:JvmSynthetic
    public val stopAfter: Duration? get() = limitOf(stopAfterNanos)

    /** How long after the call began a retry may still begin; `null` for any time. For Java. */
    public fun getStopAfter(): JavaDuration? = javaLimitOf(stopAfterNanos)

    /** The time limit of one attempt, or of the first if attempts differ; `null` for none. */
    @get:JvmSynthetic
    public val attemptTimeout: Duration? get() = limitOf(attemptTimeoutNanos(1))

    /** The time limit of one attempt, or of the first if attempts differ; `null` for none. For Java. */
    public fun getAttemptTimeout(): JavaDuration? = javaLimitOf(attemptTimeoutNanos(1))

    /** The time limits of the attempts, in their order; the last holds for all further ones. Empty for none. */
    @get:JvmSynthetic
    @get:JvmName("attemptTimeoutsOfKotlin")
    public val attemptTimeouts: List<Duration> get() = if (isTimedByAttempt) limits.map(::durationOf) else emptyList()

    /**
     * The time limits of the attempts, in their order; the last holds for all further ones. Empty for none. For Java.
     */
    public fun getAttemptTimeouts(): List<JavaDuration> =
        if (isTimedByAttempt) limits.map(JavaDuration::ofNanos) else emptyList()

    private val isTimedByAttempt get() = limits != NO_LIMITS

    /** The end of a call that gives up on a result that was not accepted. */
    public val onBadResult: OnBadResult = builder.onBadResult

    /** The action on a failure that a retrier nearer to it has given up on. */
    public val whenRetriedBelow: WhenRetriedBelow = builder.whenRetriedBelow

    /** Whether a server decides by `x-should-retry` or `Stripe-Should-Retry` on a response of 400 or more whether it is retried. */
    public val honourShouldRetry: Boolean = builder.honourShouldRetry

    /** Whether a long poll that the quota refuses is delayed (standard mode 2.1). */
    public val longPollingDelay: Boolean = builder.longPollingDelay

    /** Whether what is thrown carries a suppressed [RetryTrace]. */
    public val trace: Boolean = builder.trace

    /** Whether attempts are the looks of a poll. */
    internal val isPoll: Boolean = builder.isPoll

    init {
        checkMeant(maxAttempts, backoff, quota, minOf(deadlineNanos, stopAfterNanos))
        checkActs(classifier)
        checkActs(hedge, minOf(deadlineNanos, attemptTimeoutNanos(1)))
    }

    /** Whether attempts run against the clock. */
    internal val isTimed: Boolean get() = deadlineNanos != UNLIMITED_NANOS || isTimedByAttempt

    /** Whether a call has to know when it began: it is timed, or a function of the user's may ask how long it has taken. */
    internal val readsClock: Boolean
        get() = isTimed || stopAfterNanos != UNLIMITED_NANOS ||
            FailureKind.entries.any { backoff.customFor(it) != null }

    /** The verdict on [response]: the server's own if it decides, else the classifier's. */
    @ShellApi
    public fun judge(response: HttpOutcome): Verdict {
        val isJudged = classifier.resultScope != ResultScope.NONE
        val verdict = if (isJudged) classifier.classifyResult(response) else null
        return asServerSays(verdict ?: Verdict.Accept, response)
    }

    /**
     * [verdict], unless the server of [response] says whether it wants to be asked again, and counts. Its refusal ends only calls
     * that [stop][WhenRetriedBelow.STOP] at what was retried below.
     */
    internal fun asServerSays(verdict: Verdict, response: HttpOutcome): Verdict {
        if (!honourShouldRetry || response.status < FIRST_FAILURE) return verdict
        return when (ShouldRetry.of(response)) {
            null -> verdict
            true -> verdict as? Verdict.Retry ?: SERVER_WANTS
            false -> (verdict as? Verdict.Retry ?: SERVER_REFUSES).refused(verdict)
        }
    }

    /** The longest that a call of [options] may take, in ns: the shorter one counts. */
    internal fun deadlineOf(options: CallOptions): Long = minOf(deadlineNanos, options.deadlineNanos)

    /**
     * Settings that are probably a mistake: an attempt timeout or a [stopAfter] above the deadline, no time for a retry, any
     * number of attempts without deadline and quota, a quota that holds less than a retry costs. A retrier that is made of it logs
     * these once; no preset has one.
     */
    public val warnings: List<String>
        get() = ArrayList<String>(0).apply {
            aboveDeadline("attempt timeout", limits.maxOf { it }, deadlineNanos)?.let { add(it) }
            aboveDeadline("stopAfter", stopAfterNanos, deadlineNanos)?.let { add(it) }
            noTimeToRetry(maxAttempts, backoff, minOf(deadlineNanos, stopAfterNanos))?.let { add(it) }
            endless(maxAttempts, minOf(deadlineNanos, stopAfterNanos), quota != null, backoff)?.let { add(it) }
            quotaBelowCost(maxAttempts, quota)?.let { add(it) }
        }

    /** A builder that starts from this policy. */
    public fun toBuilder(): RetryPolicyBuilder = RetryPolicyBuilder(this)

    /** This policy with [changes]. */
    @JvmSynthetic
    public fun with(changes: RetryPolicyBuilder.() -> Unit): RetryPolicy = toBuilder().apply(changes).build()

    override fun equals(other: Any?): Boolean = other is RetryPolicy && parts() == other.parts()

    override fun hashCode(): Int = parts().hashCode()

    /** The name of the constant that this is, or how it differs from [STANDARD] or [HTTP]. */
    override fun toString(): String = "RetryPolicy(${PolicyText.of(this)})"

    private fun parts(): List<Any?> =
        listOf(maxAttempts, backoff, classifier, serverDelays, quota, sendRate, onNoPermit, hedge) +
            listOf(deadlineNanos, stopAfterNanos, limits, onBadResult, whenRetriedBelow) +
            listOf(honourShouldRetry, longPollingDelay, trace)

    public companion object {
        private const val FIRST_FAILURE = 400

        /** Failures that classify themselves, then the standard table, then the transport's errors. */
        internal val STANDARD_CLASSIFIER: Classifier =
            Classifier.firstOf(SelfClassifier, ErrorTable.STANDARD, TransportErrors)

        /** The standard classifier for any HTTP server, with the errors of HTTP engines. */
        private val HTTP_CLASSIFIER =
            Classifier.firstOf(SelfClassifier, ErrorTable.HTTP, EngineErrors, TransportErrors)

        internal val NO_LIMITS: List<Long> = Collections.singletonList(UNLIMITED_NANOS)

        private val SERVER_WANTS = Verdict.Retry(FailureKind.TRANSIENT, "x-should-retry: true")
        private val SERVER_REFUSES = Verdict.Retry(FailureKind.TRANSIENT, "x-should-retry: false")

        /** Standard mode 2.1: since November 2026 the default of the AWS SDKs; opt-in in that for Kotlin. */
        @JvmField
        public val STANDARD: RetryPolicy = RetryPolicyBuilder(from = null).build()

        /**
         * [STANDARD] with a quota that follows the client's own traffic: for fleets of small clients, each of which the 500
         * tokens of [STANDARD] would let retry for hours.
         */
        @JvmField
        public val STANDARD_STEADY: RetryPolicy = builder().quota(SteadyQuotaSettings.DEFAULT).build()

        /** [STANDARD_STEADY] with a limiter that learns how fast the server can be asked. Hold a retrier for each server. */
        @JvmField
        public val ADAPTIVE_STEADY: RetryPolicy = STANDARD_STEADY.toBuilder().sendRate(SendRateSettings.STEADY).build()

        /**
         * The default of the HTTP faces: [STANDARD] plus two statuses that ask for the request again, 408 Request
         * Timeout and 425 Too Early, those of a proxy whose origin fails (520 to 524, 530), and 529 as throttling. Follows
         * `retry-after-ms` and `Retry-After` up to a minute, and `x-should-retry`.
         */
        @JvmField
        public val HTTP: RetryPolicy = builder()
            .classifier(HTTP_CLASSIFIER)
            .honourRetryAfter(JavaDuration.ofMinutes(1))
            .honourShouldRetry(true)
            .build()

        /**
         * [STANDARD] that retries every exception but errors, interrupts and programming mistakes, as most retry libraries of
         * the JVM do. An exception that says itself what it means, or that carries an HTTP response, is judged by that.
         */
        @JvmField
        public val ANY_EXCEPTION: RetryPolicy = builder().classifier(AnyException.CLASSIFIER).build()

        /** One attempt and no more. */
        @JvmField
        public val NONE: RetryPolicy = builder().maxAttempts(1).noQuota().build()

        /** A builder that starts from [STANDARD]. */
        @JvmStatic
        public fun builder(): RetryPolicyBuilder = STANDARD.toBuilder()

        /** [STANDARD] with [changes]. */
        @JvmSynthetic
        public operator fun invoke(changes: RetryPolicyBuilder.() -> Unit): RetryPolicy = STANDARD.with(changes)
    }
}
