package dev.reprise.presets.sdk

import dev.reprise.core.Backoff
import dev.reprise.core.Jitter
import dev.reprise.core.RetryPolicy
import java.time.Duration

/**
 * The backoffs of the AWS architecture blog's "Exponential Backoff and Jitter" as whole policies: the standard
 * conditions, no quota, and no header. The first ceiling is the base, as in the SDKs; in the blog's simulator it is twice that.
 */
internal object Textbook {
    private val BASE = Duration.ofMillis(100)
    private val CAP = Duration.ofSeconds(20)

    private fun growing(jitter: Jitter) = Backoff.exponential(BASE, CAP, 2.0, jitter, BASE, 0)

    private fun preset(name: String, summary: String, backoff: Backoff) = Preset(name, summary) {
        Parts.PLAIN.with { this.backoff = backoff }
    }

    val all: List<Preset> =
        listOf(
            preset("fixed", "the same wait each time", Backoff.fixed(BASE)),
            preset("exponential", "exponential backoff without jitter", growing(Jitter.NONE)),
            preset("full-jitter", "exponential backoff with full jitter", growing(Jitter.FULL)),
            preset("equal-jitter", "exponential backoff with equal jitter", growing(Jitter.EQUAL)),
            preset("decorrelated-jitter", "decorrelated jitter", Backoff.decorrelated(BASE, CAP)),
            Preset("none", "one attempt and no more") { RetryPolicy.NONE },
        )
}
