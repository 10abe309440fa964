package dev.reprise.core.rate

/**
 * Builds [SteadySettings], which explains each setting: as the receiver of `SteadySettings { }` in Kotlin, as a chain
 * of calls in Java. Not thread-safe.
 */
public class SteadySettingsBuilder internal constructor() {
    internal constructor(settings: SteadySettings) : this() {
        quietSeconds = settings.quietSeconds
        hints = settings.hints
    }

    /** [SteadySettings.quietSeconds]. */
    @set:JvmSynthetic
    public var quietSeconds: Double = 180.0

    /** [SteadySettings.hints]. */
    @set:JvmSynthetic
    public var hints: ServerHints = ServerHints.CAP

    /** Sets [SteadySettings.quietSeconds]. */
    public fun quietSeconds(value: Double): SteadySettingsBuilder = apply { quietSeconds = value }

    /** Sets [SteadySettings.hints]. */
    public fun hints(value: ServerHints): SteadySettingsBuilder = apply { hints = value }

    /**
     * The settings.
     *
     * @throws IllegalArgumentException naming the setting, the rule and the value, when a value is out of range.
     */
    public fun build(): SteadySettings = SteadySettings(this)
}
