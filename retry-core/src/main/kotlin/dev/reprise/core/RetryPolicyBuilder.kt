package dev.reprise.core

import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.core.shell.time.durationOf
import dev.reprise.core.shell.time.limitOf
import dev.reprise.core.shell.time.nanosText
import dev.reprise.core.shell.time.toNanos
import dev.reprise.core.shell.time.toNanosSaturated
import java.util.function.Function
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds
import java.time.Duration as JavaDuration

/**
 * Builds a [RetryPolicy]: as the receiver of `RetryPolicy { }` in Kotlin, as a chain of calls in Java. Both go through
 * the same checks; a setter throws at once, with the setting's name, the rule and the value. Not thread-safe.
 */
public class RetryPolicyBuilder internal constructor(from: RetryPolicy?) {
    internal var isPoll = from?.isPoll ?: false

    /** The most attempts of one call, the first among them; at least 1. */
    @set:JvmSynthetic
    public var maxAttempts: Int = from?.maxAttempts ?: 3
        set(value) {
            require(value >= 1) { "maxAttempts must be at least 1: $value" }
            field = value
        }

    /** How long to wait before a retry. */
    @set:JvmSynthetic
    public var backoff: Backoff = from?.backoff ?: Backoff.STANDARD

    /** Judges the outcome of an attempt. */
    @set:JvmSynthetic
    public var classifier: Classifier = from?.classifier ?: RetryPolicy.STANDARD_CLASSIFIER

    /** The headers in which servers ask for a delay that is kept; the first one that is there counts. */
    @set:JvmSynthetic
    public var serverDelays: List<ServerDelayRule> = from?.serverDelays ?: ServerDelayRule.STANDARD
        set(value) {
            field = java.util.List.copyOf(value)
        }

    /** The cost of retries; `null` if they are free. */
    @set:JvmSynthetic
    public var quota: QuotaSettings? = if (from == null) TokenBucketSettings.STANDARD else from.quota

    /** The settings of the send-rate limiter; `null` for none. */
    @set:JvmSynthetic
    public var sendRate: SendRateSettings? = from?.sendRate

    /** The action of a call that gets no send permit at once. */
    @set:JvmSynthetic
    public var onNoPermit: NoPermit = from?.onNoPermit ?: NoPermit.Wait

    /** Experimental. When a slow first attempt gets a copy; `null` for never. A block that may be repeated then runs twice at once. */
    @ExperimentalReprise
    @set:JvmSynthetic
    public var hedge: Hedge? = from?.hedge

    /** The end of a call that gives up on a result that was not accepted. */
    @set:JvmSynthetic
    public var onBadResult: OnBadResult = from?.onBadResult ?: OnBadResult.RETURN

    /** The action on a failure that a retrier nearer to it has given up on. */
    @set:JvmSynthetic
    public var whenRetriedBelow: WhenRetriedBelow = from?.whenRetriedBelow ?: WhenRetriedBelow.STOP

    /**
     * Whether a server decides about its responses of 400 or more by `x-should-retry` or `Stripe-Should-Retry`. `true`
     * makes the failure transient, unless [rejectOn] names it; attempts, quota and [repeatability][Repeat] still limit its
     * retries. `false` says that it was retried below.
     */
    @set:JvmSynthetic
    public var honourShouldRetry: Boolean = from?.honourShouldRetry ?: false

    /** Whether a long poll that the quota refuses is delayed. */
    @set:JvmSynthetic
    public var longPollingDelay: Boolean = from?.longPollingDelay ?: true

    /** Whether a thrown exception carries a suppressed [RetryTrace]. */
    @set:JvmSynthetic
    public var trace: Boolean = from?.trace ?: true

    /** [deadline] in ns; [UNLIMITED_NANOS] for none. */
    internal var deadlineNanos: Long = from?.deadlineNanos ?: UNLIMITED_NANOS
        set(value) {
            require(value > 0) { "deadline must be above zero: ${nanosText(value)}" }
            field = value
        }

    /** [stopAfter] in ns; [UNLIMITED_NANOS] for none. */
    internal var stopAfterNanos: Long = from?.stopAfterNanos ?: UNLIMITED_NANOS
        set(value) {
            require(value > 0) { "stopAfter must be above zero: ${nanosText(value)}" }
            field = value
        }

    /** The time limits of the attempts in ns; never empty. */
    internal var limits: List<Long> = from?.limits ?: RetryPolicy.NO_LIMITS
        set(value) {
            field = attemptLimitsOf(value)
        }

    /** The time limit of a call with all attempts and waits; `null` for none. */
    @get:JvmSynthetic
    @set:JvmSynthetic
    public var deadline: Duration?
        get() = limitOf(deadlineNanos)
        set(value) {
            deadlineNanos = value?.toNanos() ?: UNLIMITED_NANOS
        }

    /**
     * How long after the call began a retry may still begin; `null` for any time. Unlike [deadline] it cuts nothing: an attempt
     * under way goes on, and its own failure is thrown.
     */
    @get:JvmSynthetic
    @set:JvmSynthetic
    public var stopAfter: Duration?
        get() = limitOf(stopAfterNanos)
        set(value) {
            stopAfterNanos = value?.toNanos() ?: UNLIMITED_NANOS
        }

    /**
     * The time limit of one attempt, or of the first if attempts differ; `null` for none. It cancels a suspending attempt;
     * code in it that blocks its thread feels nothing of that, unless it runs in `runInterruptible`.
     */
    @get:JvmSynthetic
    @set:JvmSynthetic
    public var attemptTimeout: Duration?
        get() = limitOf(limits.first())
        set(value) {
            limits = listOf(value?.toNanos() ?: UNLIMITED_NANOS)
        }

    /**
     * The time limits of the attempts in their order, for instance a short one first; the last holds for all further
     * ones. Empty for none; a single one is [attemptTimeout].
     */
    @get:JvmSynthetic
    @set:JvmSynthetic
    public var attemptTimeouts: List<Duration>
        get() = if (limits == RetryPolicy.NO_LIMITS) emptyList() else limits.map(::durationOf)
        set(value) {
            limits = value.map { it.toNanos() }
        }

    /** Sets the most attempts of one call, the first among them; at least 1. */
    public fun maxAttempts(attempts: Int): RetryPolicyBuilder = apply { maxAttempts = attempts }

    /** Lets a call make any number of attempts; set a deadline as well. */
    public fun unlimitedAttempts(): RetryPolicyBuilder = maxAttempts(Int.MAX_VALUE)

    /** Sets how long to wait before a retry. */
    public fun backoff(backoff: Backoff): RetryPolicyBuilder = apply { this.backoff = backoff }

    /** Waits [base] before the first retry, after a throttle too, and doubles the ceiling with each further one, up to [cap]. */
    @JvmSynthetic
    public fun exponentialBackoff(
        base: Duration,
        cap: Duration = 20.seconds,
        jitter: Jitter = Jitter.FULL,
    ): RetryPolicyBuilder = backoff(Backoff.exponential(base = base, cap = cap, jitter = jitter))

    /** Waits [base] before the first retry, after a throttle too, and doubles the ceiling with each further one, up to [cap]. */
    public fun exponentialBackoff(base: JavaDuration, cap: JavaDuration): RetryPolicyBuilder =
        exponentialBackoff(base, cap, Jitter.FULL)

    /** Waits [base] before the first retry, after a throttle too, and doubles the ceiling with each further one, up to [cap]. */
    public fun exponentialBackoff(base: JavaDuration, cap: JavaDuration, jitter: Jitter): RetryPolicyBuilder =
        backoff(Backoff.exponential(base, cap, 2.0, jitter))

    /** Waits [delay] before every retry. */
    @JvmSynthetic
    public fun fixedBackoff(delay: Duration, jitter: Jitter = Jitter.NONE): RetryPolicyBuilder =
        backoff(Backoff.fixed(delay, jitter))

    /** Waits [delay] before every retry. */
    public fun fixedBackoff(delay: JavaDuration): RetryPolicyBuilder = fixedBackoff(delay, Jitter.NONE)

    /** Waits [delay] before every retry. */
    public fun fixedBackoff(delay: JavaDuration, jitter: Jitter): RetryPolicyBuilder =
        backoff(Backoff.fixed(delay, jitter))

    /** Retries without a wait. */
    public fun noBackoff(): RetryPolicyBuilder = backoff(Backoff.IMMEDIATE)

    /** Sets the classifier, in place of the present one with all rules that were added to it: set it before you add yours. */
    public fun classifier(classifier: Classifier): RetryPolicyBuilder = apply { this.classifier = classifier }

    /** Asks [first] before the present classifier, but after [rejectOn]. */
    public fun classifyFirst(first: Classifier): RetryPolicyBuilder =
        apply { classifier = Rejections.before(classifier, first) }

    /** Retries exceptions of [type] as failures of [kind], before the present classifier is asked. */
    @JvmOverloads
    public fun retryOn(type: Class<out Throwable>, kind: FailureKind = FailureKind.TRANSIENT): RetryPolicyBuilder =
        classifyFirst(Classifier.onException(type, kind))

    /** Retries exceptions of type [E] as failures of [kind], before the present classifier is asked. */
    @JvmSynthetic
    public inline fun <reified E : Throwable> retryOn(kind: FailureKind = FailureKind.TRANSIENT): RetryPolicyBuilder =
        retryOn(E::class.java, kind)

    /** Never retries exceptions of [type]. Precedes all other rules, earlier and later ones; [classifier] takes it away. */
    public fun rejectOn(type: Class<out Throwable>): RetryPolicyBuilder = rejectOn(type.name)

    /** Never retries exceptions of the class with this name. Precedes all other rules, earlier and later ones. */
    internal fun rejectOn(className: String): RetryPolicyBuilder =
        apply { classifier = Rejections.added(classifier, className) }

    /** Never retries exceptions of type [E]. Precedes all other rules, earlier and later ones; [classifier] takes it away. */
    @JvmSynthetic
    public inline fun <reified E : Throwable> rejectOn(): RetryPolicyBuilder = rejectOn(E::class.java)

    /** Asks [classify] about every exception before the present classifier; `null` for no opinion. */
    public fun onFailure(classify: Function<Throwable, Verdict?>): RetryPolicyBuilder =
        classifyFirst(Classifier.failures(classify))

    /** Asks [classify] about every result before the present classifier; `null` for no opinion. */
    public fun onResult(classify: Function<Any?, Verdict?>): RetryPolicyBuilder =
        classifyFirst(Classifier.results(classify))

    /** Sets the headers in which servers ask for a delay that is kept. */
    public fun serverDelays(rules: List<ServerDelayRule>): RetryPolicyBuilder = apply { serverDelays = rules }

    /** Follows `retry-after-ms` and `Retry-After` too, up to [cap]; a server that asks for more ends the call. */
    public fun honourRetryAfter(cap: JavaDuration): RetryPolicyBuilder = honourRetryAfter(cap, giveUpBeyondCap = true)

    /**
     * Follows `retry-after-ms` and `Retry-After` too, up to [cap]; a longer delay ends the call, or waits the cap if
     * [giveUpBeyondCap] is off.
     */
    public fun honourRetryAfter(cap: JavaDuration, giveUpBeyondCap: Boolean): RetryPolicyBuilder = apply {
        val bound = if (giveUpBeyondCap) ServerDelayBound.atLeast(cap) else ServerDelayBound.atMost(cap)
        serverDelays = ServerDelayRule.withRetryAfter(serverDelays, bound)
    }

    /**
     * Follows `retry-after-ms` and `Retry-After` too, up to [cap]; a longer delay ends the call, or waits the cap if
     * [giveUpBeyondCap] is off.
     */
    @JvmSynthetic
    public fun honourRetryAfter(cap: Duration, giveUpBeyondCap: Boolean = true): RetryPolicyBuilder =
        honourRetryAfter(JavaDuration.ofNanos(cap.toNanos()), giveUpBeyondCap)

    /** Sets the cost of retries; `null` if they are free. */
    public fun quota(settings: QuotaSettings?): RetryPolicyBuilder = apply { quota = settings }

    /** Makes retries free. */
    public fun noQuota(): RetryPolicyBuilder = quota(null)

    /** Sets the send-rate limiter; `null` for none. */
    public fun sendRate(settings: SendRateSettings?): RetryPolicyBuilder = apply { sendRate = settings }

    /** Sets the action of a call that gets no send permit at once. */
    public fun onNoPermit(noPermit: NoPermit): RetryPolicyBuilder = apply { onNoPermit = noPermit }

    /** Experimental. Sets when a slow first attempt gets a copy; `null` for never. A delay that is set must be within the first attempt's time. */
    @ExperimentalReprise
    public fun hedge(hedge: Hedge?): RetryPolicyBuilder = apply { this.hedge = hedge }

    /** Sets the time limit of a call with all attempts and waits; `null` for none. */
    public fun deadline(deadline: JavaDuration?): RetryPolicyBuilder =
        apply { deadlineNanos = deadline?.toNanosSaturated() ?: UNLIMITED_NANOS }

    /** Sets how long after the call began a retry may still begin; `null` for any time. An attempt under way is not cut. */
    public fun stopAfter(time: JavaDuration?): RetryPolicyBuilder =
        apply { stopAfterNanos = time?.toNanosSaturated() ?: UNLIMITED_NANOS }

    /** Sets the time limit of one attempt; `null` for none. */
    public fun attemptTimeout(timeout: JavaDuration?): RetryPolicyBuilder =
        apply { limits = listOf(timeout?.toNanosSaturated() ?: UNLIMITED_NANOS) }

    /** Sets the time limits of the attempts in their order; the last holds for all further ones. No argument for none. */
    public fun attemptTimeouts(vararg timeouts: JavaDuration): RetryPolicyBuilder =
        apply { limits = timeouts.map { it.toNanosSaturated() } }

    /** Sets the end of a call that gives up on a result that was not accepted. */
    public fun onBadResult(action: OnBadResult): RetryPolicyBuilder = apply { onBadResult = action }

    /** Sets the action on a failure that a retrier nearer to it has given up on. */
    public fun whenRetriedBelow(action: WhenRetriedBelow): RetryPolicyBuilder = apply { whenRetriedBelow = action }

    /** Sets whether a server decides by `x-should-retry` whether its failure is retried. */
    public fun honourShouldRetry(isOn: Boolean): RetryPolicyBuilder = apply { honourShouldRetry = isOn }

    /** Sets whether a long poll that the quota refuses is delayed. */
    public fun longPollingDelay(delays: Boolean): RetryPolicyBuilder = apply { longPollingDelay = delays }

    /** Sets whether a thrown exception carries a suppressed [RetryTrace]. */
    public fun trace(traces: Boolean): RetryPolicyBuilder = apply { trace = traces }

    /** The policy. */
    public fun build(): RetryPolicy = RetryPolicy(this)
}
