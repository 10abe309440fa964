package dev.reprise.aws.kotlin

/**
 * The weight of the client's own `retryPolicy` beside the policy of a [RepriseRetryStrategy]. An outcome that the
 * client's policy accepts is accepted in any case.
 */
public enum class SdkVerdicts {
    /**
     * Retries also the failures that the client's policy would retry: errors that the service's model marks as
     * retryable, and those after which the SDK has corrected its clock. Types that the strategy's policy rejects
     * (`rejectOn`) stay rejected.
     */
    ADD,

    /** The policy alone decides what is retried: for presets that are to be exact. */
    IGNORE,

    /** Nothing is retried that the client's policy does not retry: a `retryPolicy` of your own has the last word. */
    LIMIT,
}
