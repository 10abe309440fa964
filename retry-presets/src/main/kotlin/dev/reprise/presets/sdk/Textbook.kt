package dev.reprise.presets.sdk

import dev.reprise.core.Backoff
import dev.reprise.core.Jitter
import dev.reprise.core.RetryPolicy
import java.time.Duration

/**
 * The backoffs of the AWS architecture blog's "Exponential Backoff and Jitter" as whole policies: the standard
 * conditions, no quota, and no header. With a `firstExponent` of 1 the first ceiling is twice the base, as in the blog's
 * simulator; the SDKs start with 0.
 */
internal object Textbook {
    private val BASE = Duration.ofMillis(100)
    private val CAP = Duration.ofSeconds(20)
    private const val ATTEMPTS = 3

    /** Always [delay]. */
    fun fixed(delay: Duration = BASE, maxAttempts: Int = ATTEMPTS): RetryPolicy =
        policy(Backoff.fixed(delay), maxAttempts)

    /** `min(cap, base * 2^n)`, without jitter. */
    fun exponential(
        base: Duration = BASE,
        cap: Duration = CAP,
        maxAttempts: Int = ATTEMPTS,
        firstExponent: Int = 0,
    ): RetryPolicy = growing(base, cap, maxAttempts, firstExponent, Jitter.NONE)

    /** Anywhere from 0 to `min(cap, base * 2^n)`. */
    fun fullJitter(
        base: Duration = BASE,
        cap: Duration = CAP,
        maxAttempts: Int = ATTEMPTS,
        firstExponent: Int = 0,
    ): RetryPolicy = growing(base, cap, maxAttempts, firstExponent, Jitter.FULL)

    /** Anywhere from half of `min(cap, base * 2^n)` to the whole. */
    fun equalJitter(
        base: Duration = BASE,
        cap: Duration = CAP,
        maxAttempts: Int = ATTEMPTS,
        firstExponent: Int = 0,
    ): RetryPolicy = growing(base, cap, maxAttempts, firstExponent, Jitter.EQUAL)

    /** `min(cap, uniform(base, 3 * previous))`. */
    fun decorrelatedJitter(base: Duration = BASE, cap: Duration = CAP, maxAttempts: Int = ATTEMPTS): RetryPolicy =
        policy(Backoff.decorrelated(base, cap), maxAttempts)

    private fun growing(base: Duration, cap: Duration, maxAttempts: Int, firstExponent: Int, jitter: Jitter) =
        policy(Backoff.exponential(base, cap, 2.0, jitter, base, firstExponent), maxAttempts)

    private fun policy(backoff: Backoff, maxAttempts: Int) = RetryPolicy {
        this.maxAttempts = maxAttempts
        this.backoff = backoff
        serverDelays = emptyList()
        quota = null
        longPollingDelay = false
    }

    internal val all: List<Preset> =
        listOf(
            Preset("fixed", "the same wait each time") { fixed() },
            Preset("exponential", "exponential backoff without jitter") { exponential() },
            Preset("full-jitter", "exponential backoff with full jitter") { fullJitter() },
            Preset("equal-jitter", "exponential backoff with equal jitter") { equalJitter() },
            Preset("decorrelated-jitter", "decorrelated jitter") { decorrelatedJitter() },
            Preset("none", "one attempt and no more") { RetryPolicy.NONE },
        )
}
