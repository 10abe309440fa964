package dev.reprise.core

/** The response headers in which servers say whether a request should be sent again. */
internal object ShouldRetry {
    /** The header that servers with a plugin of this library send, as `false`; OpenAI and Anthropic send it too. */
    const val HEADER: String = "x-should-retry"

    /** Stripe's. */
    private const val STRIPE = "Stripe-Should-Retry"

    /** The header's value in [response], or `null` if it is absent or not understood. */
    fun of(response: HttpOutcome): Boolean? = valueOf(response.header(HEADER)) ?: valueOf(response.header(STRIPE))

    private fun valueOf(header: String?): Boolean? = header?.lowercase()?.toBooleanStrictOrNull()
}
