package dev.reprise.differential

import dev.reprise.core.RetryPolicy
import dev.reprise.core.TokenBucketSettings

/** An SDK on the class path, and the preset that is to do as it does. Jitter is switched off in both. */
abstract class LivingSdk(val name: String) {
    /** What its attempts can come to. */
    open val faults: List<Fault> = Fault.entries

    /** What its servers ask for, in ms; `null` for nothing. */
    open val hints: List<Long?> = listOf(null)

    open val hasLongPolls: Boolean get() = false

    /** The draw that makes our delays the longest. */
    open val longest: Double get() = 1.0

    /** Our preset. */
    protected abstract val preset: RetryPolicy

    /** Lets the SDK play [script]. */
    abstract fun play(script: Script): List<End>

    /** Our preset with the settings of [script]. */
    fun policy(script: Script): RetryPolicy = preset.with {
        maxAttempts = script.maxAttempts
        quota = (preset.quota as TokenBucketSettings).with { capacity(script.capacity) }
        trace = false
    }

    override fun toString(): String = name
}
