package dev.reprise.core.shell.rate

import dev.reprise.core.HttpOutcome
import dev.reprise.core.sentAtEpochMillis

/**
 * Reads a server's announced rate limit, in the forms in use:
 *
 * - `RateLimit: "default";r=50;t=30` and `RateLimit-Policy: "default";q=100;w=60`
 *   (draft-ietf-httpapi-ratelimit-headers, since -08; of a list of policies, the tightest counts);
 * - `RateLimit: limit=100, remaining=50, reset=5` (the same draft, -07) and `RateLimit-Remaining`, `RateLimit-Reset`
 *   (before);
 * - `X-RateLimit-Remaining` and `X-RateLimit-Reset` (seconds, or seconds since 1970, as GitHub sends).
 *
 * Header values may be hostile: one that is longer than [LONGEST] characters or breaks its format is ignored, numbers
 * have at most 15 digits, reading takes one pass, and nothing throws.
 */
internal object RateLimitFields {
    /** The longest value that is read, in characters. */
    const val LONGEST: Int = 1024

    /** Reads the rate limit that [response] announces; `null` if there is none that can be read. */
    fun read(response: HttpOutcome): RateHint? =
        structured(response) ?: separate(response, "ratelimit-") ?: separate(response, "x-ratelimit-")

    private fun structured(response: HttpOutcome): RateHint? {
        val items = response.field("ratelimit")?.let(RateLimitItems::parse) ?: return null
        val policies = response.field("ratelimit-policy")?.let(RateLimitItems::parse).orEmpty()
        val old = items.firstOrNull { it.name == "remaining" }?.value
        if (old != null) return hint(old, items.firstOrNull { it.name == "reset" }?.value)
        return items.mapNotNull { item ->
            hint(item["r"], item["t"] ?: policies.firstOrNull { it.name == item.name }?.get("w"))
        }.minByOrNull { it.perSecond }
    }

    private fun separate(response: HttpOutcome, prefix: String): RateHint? {
        val remaining = response.field(prefix + "remaining")?.let(RateLimitItems::digits) ?: return null
        val reset = response.field(prefix + "reset")?.let(RateLimitItems::digits) ?: return null
        if (reset < SINCE_1970) return hint(remaining, reset)
        // By the server's own clock, as far as it says; else by ours.
        val now = response.sentAtEpochMillis() ?: response.receivedAtEpochMillis
        if (now == HttpOutcome.UNKNOWN_TIME) return null
        return hint(remaining, maxOf(0, reset - now / MILLIS_PER_SECOND))
    }

    private fun hint(remaining: Long?, seconds: Long?): RateHint? =
        if (remaining == null || seconds == null) null else RateHint.of(remaining, seconds)

    private fun HttpOutcome.field(name: String): String? =
        header(name)?.takeIf { it.length <= LONGEST }?.trim(' ', '\t')

    /** A reset this large is a date: 1,000,000,000 s since 1970 were over in 2001, and as a wait they are 31 years. */
    private const val SINCE_1970 = 1_000_000_000L
    private const val MILLIS_PER_SECOND = 1000L
}
