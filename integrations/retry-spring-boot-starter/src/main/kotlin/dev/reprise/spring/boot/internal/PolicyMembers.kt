package dev.reprise.spring.boot.internal

/**
 * The members of `reprise.policies.<name>`, for the completion of names in an IDE. `PolicyProperties` reads them as a policy
 * document, which has all forms of their values.
 */
public class PolicyMembers {
    /** The preset to start from, such as "http", "standard-2.1" or "any-exception". */
    public var preset: String? = null

    /** The AWS service that the preset is for. */
    public var service: String? = null

    /** The most attempts of a call, or "unlimited". */
    public var maxAttempts: String? = null

    /** How long to wait between attempts: type, base, cap, delay, factor, jitter. */
    public var backoff: Map<String, Any>? = null

    /** The classes of exceptions that are always retried. */
    public var retryOn: List<String>? = null

    /** The classes of exceptions that are never retried. */
    public var rejectOn: List<String>? = null

    /** The parts of the classifier; the first opinion counts. */
    public var classifier: List<Any>? = null

    /** The headers in which servers ask for a delay. */
    public var serverDelays: List<Map<String, Any>>? = null

    /** The retry quota: type, capacity, cost, throttling-cost; or "none". */
    public var quota: Map<String, Any>? = null

    /** The send rate of adaptive mode: growth, beta, scale; or "none". */
    public var sendRate: Map<String, Any>? = null

    /** The action of a call without a send permit: "wait", "fail" or a "wait-at-most". */
    public var onNoPermit: Any? = null

    /** Copies of slow attempts: max-extra-load, after; or "none". */
    public var hedge: Map<String, Any>? = null

    /** The longest that a call may take, such as "10s", or "unlimited". */
    public var deadline: String? = null

    /** How long after the call began a retry may begin, such as "10s", or "unlimited"; an attempt under way goes on. */
    public var stopAfter: String? = null

    /** The longest that an attempt may take, such as "2s"; or one for each attempt. */
    public var attemptTimeout: List<String>? = null

    /** The end of a call whose last result is not accepted: "return" or "throw". */
    public var onBadResult: String? = null

    /** What follows a failure that a retrier nearer to it gave up on: "stop" or "retry". */
    public var whenRetriedBelow: String? = null

    /** Whether a server's x-should-retry decides. */
    public var honourShouldRetry: Boolean? = null

    /** Whether a long poll that the quota refuses is delayed. */
    public var longPollingDelay: Boolean? = null

    /** Whether exceptions carry a trace of the attempts. */
    public var trace: Boolean? = null
}
