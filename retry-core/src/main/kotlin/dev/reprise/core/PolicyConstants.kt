package dev.reprise.core

import java.time.Duration

/**
 * Makes the settings of [RetryPolicy]'s constants when they are first read. The JVM initializes the constants all together: a
 * program that reads none of these loads 27 classes less before its first call.
 */
internal object PolicyConstants {
    /** The settings of the [constant] with this name. */
    fun settingsOf(constant: String): RetryPolicyBuilder = when (constant) {
        "STANDARD_STEADY" -> RetryPolicy.builder().quota(SteadyQuotaSettings.DEFAULT)

        "ADAPTIVE_STEADY" -> RetryPolicy.STANDARD_STEADY.toBuilder().sendRate(SendRateSettings.STEADY)

        "HTTP" ->
            RetryPolicy.builder().honourRetryAfter(
                Duration.ofMinutes(1),
            ).honourShouldRetry(true).classifier(httpClassifier())

        "ANY_EXCEPTION" -> RetryPolicy.builder().classifier(AnyException.CLASSIFIER)

        else -> error("no constant is called $constant")
    }

    /** The standard classifier for any HTTP server: with 408, 425 and the errors of HTTP engines. */
    private fun httpClassifier() = Classifier.firstOf(
        SelfClassifier,
        ErrorTable.STANDARD.withLast(ErrorRule(FailureKind.TRANSIENT, statuses = Statuses.of(408, 425))),
        EngineErrors,
        TransportErrors,
    )
}
