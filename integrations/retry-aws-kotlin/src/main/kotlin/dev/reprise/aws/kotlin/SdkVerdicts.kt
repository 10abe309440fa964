package dev.reprise.aws.kotlin

/**
 * How much the client's own `retryPolicy` counts beside the policy of a [RepriseRetryStrategy]. What the client's policy
 * accepts is accepted in any case.
 */
public enum class SdkVerdicts {
    /**
     * A failure that the policy does not retry is retried if the client's would: errors that the service's model says can
     * be retried, and those after which the SDK has corrected its clock. What a rule of the policy rejects by its type
     * (`rejectOn`) stays rejected.
     */
    ADD,

    /** The policy alone decides what is retried: for presets that are to be exact. */
    IGNORE,

    /** Nothing is retried that the client's policy does not retry: a `retryPolicy` of your own has the last word. */
    LIMIT,
}
