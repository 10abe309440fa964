package dev.reprise.core.rate

/**
 * Builds [SteadySettings]: as the receiver of `SteadySettings { }` in Kotlin, as a chain of calls in Java. What each
 * constant means is said there. Not thread-safe.
 */
public class SteadySettingsBuilder internal constructor() {
    internal constructor(settings: SteadySettings) : this() {
        recoverySeconds = settings.recoverySeconds
        gentleBelow = settings.gentleBelow
        burstAttempts = settings.burstAttempts
        burstSeconds = settings.burstSeconds
        doublingSeconds = settings.doublingSeconds
        deepestCut = settings.deepestCut
        firstBurstSeconds = settings.firstBurstSeconds
        trustPerSecond = settings.trustPerSecond
        eventSeconds = settings.eventSeconds
        quietSeconds = settings.quietSeconds
        hints = settings.hints
    }

    /** [SteadySettings.recoverySeconds]. */
    @set:JvmSynthetic
    public var recoverySeconds: Double = 4.0

    /** [SteadySettings.gentleBelow]. */
    @set:JvmSynthetic
    public var gentleBelow: Double = 8.7

    /** [SteadySettings.burstAttempts]. */
    @set:JvmSynthetic
    public var burstAttempts: Double = 0.1
        set(value) {
            field = value.unsigned()
        }

    /** [SteadySettings.burstSeconds]. */
    @set:JvmSynthetic
    public var burstSeconds: Double = 0.12
        set(value) {
            field = value.unsigned()
        }

    /** [SteadySettings.doublingSeconds]. */
    @set:JvmSynthetic
    public var doublingSeconds: Double = 0.5

    /** [SteadySettings.deepestCut]. */
    @set:JvmSynthetic
    public var deepestCut: Double = 0.6

    /** [SteadySettings.firstBurstSeconds]. */
    @set:JvmSynthetic
    public var firstBurstSeconds: Double = 0.1
        set(value) {
            field = value.unsigned()
        }

    /** [SteadySettings.trustPerSecond]. */
    @set:JvmSynthetic
    public var trustPerSecond: Double = 0.01
        set(value) {
            field = value.unsigned()
        }

    /** [SteadySettings.eventSeconds]. */
    @set:JvmSynthetic
    public var eventSeconds: Double = 1.2

    /** [SteadySettings.quietSeconds]. */
    @set:JvmSynthetic
    public var quietSeconds: Double = 180.0

    /** [SteadySettings.hints]. */
    @set:JvmSynthetic
    public var hints: ServerHints = ServerHints.CAP

    /** Sets [SteadySettings.recoverySeconds]. */
    public fun recoverySeconds(value: Double): SteadySettingsBuilder = apply { recoverySeconds = value }

    /** Sets [SteadySettings.gentleBelow]. */
    public fun gentleBelow(value: Double): SteadySettingsBuilder = apply { gentleBelow = value }

    /** Sets [SteadySettings.burstAttempts]. */
    public fun burstAttempts(value: Double): SteadySettingsBuilder = apply { burstAttempts = value }

    /** Sets [SteadySettings.burstSeconds]. */
    public fun burstSeconds(value: Double): SteadySettingsBuilder = apply { burstSeconds = value }

    /** Sets [SteadySettings.doublingSeconds]. */
    public fun doublingSeconds(value: Double): SteadySettingsBuilder = apply { doublingSeconds = value }

    /** Sets [SteadySettings.deepestCut]. */
    public fun deepestCut(value: Double): SteadySettingsBuilder = apply { deepestCut = value }

    /** Sets [SteadySettings.firstBurstSeconds]. */
    public fun firstBurstSeconds(value: Double): SteadySettingsBuilder = apply { firstBurstSeconds = value }

    /** Sets [SteadySettings.trustPerSecond]. */
    public fun trustPerSecond(value: Double): SteadySettingsBuilder = apply { trustPerSecond = value }

    /** Sets [SteadySettings.eventSeconds]. */
    public fun eventSeconds(value: Double): SteadySettingsBuilder = apply { eventSeconds = value }

    /** Sets [SteadySettings.quietSeconds]. */
    public fun quietSeconds(value: Double): SteadySettingsBuilder = apply { quietSeconds = value }

    /** Sets [SteadySettings.hints]. */
    public fun hints(value: ServerHints): SteadySettingsBuilder = apply { hints = value }

    /**
     * The settings.
     *
     * @throws IllegalArgumentException naming the constant, the rule and the value, when a value is out of range.
     */
    public fun build(): SteadySettings = SteadySettings(this)

    /** Zero has one form, so that settings that do the same are equal. */
    private fun Double.unsigned() = this + 0.0
}
