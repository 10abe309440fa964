package dev.reprise.redis

import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds

/** Builds [FleetSettings]. Not thread-safe. */
public class FleetSettingsBuilder internal constructor() {
    /** What all keys begin with. */
    @set:JvmSynthetic
    public var prefix: String = "reprise"

    /** The tokens of the fleet's full quota: by default a thousand retries at the price of the AWS SDKs. */
    @set:JvmSynthetic
    public var capacity: Int = 14_000

    /** The tokens of a client that has never heard of the fleet: by default those of a process without one. */
    @set:JvmSynthetic
    public var localTokens: Int = 500

    /** How many slots of the send rate are handed out ahead, as a time. */
    @get:JvmSynthetic
    @set:JvmSynthetic
    public var horizon: Duration = 2.seconds

    /** After how long without a reply a client goes on by itself. */
    @get:JvmSynthetic
    @set:JvmSynthetic
    public var patience: Duration = 80.milliseconds

    /** How long keys live that are not used. */
    @get:JvmSynthetic
    @set:JvmSynthetic
    public var lifetime: Duration = 10.minutes

    /** Who is told when a client goes on by itself, and when it is back. */
    @set:JvmSynthetic
    public var listener: FleetListener? = null

    /** Sets what all keys begin with. */
    public fun prefix(prefix: String): FleetSettingsBuilder = apply { this.prefix = prefix }

    /** Sets the tokens of the fleet's full quota. */
    public fun capacity(tokens: Int): FleetSettingsBuilder = apply { capacity = tokens }

    /** Sets the tokens of a client that has never heard of the fleet. */
    public fun localTokens(tokens: Int): FleetSettingsBuilder = apply { localTokens = tokens }

    /** Sets how many slots of the send rate are handed out ahead, as a time. */
    public fun horizon(time: java.time.Duration): FleetSettingsBuilder = apply { horizon = FleetSettings.nanos(time) }

    /** Sets after how long without a reply a client goes on by itself. */
    public fun patience(time: java.time.Duration): FleetSettingsBuilder = apply { patience = FleetSettings.nanos(time) }

    /** Sets how long keys live that are not used. */
    public fun lifetime(time: java.time.Duration): FleetSettingsBuilder = apply { lifetime = FleetSettings.nanos(time) }

    /** Sets who is told when a client goes on by itself, and when it is back. */
    public fun listener(listener: FleetListener): FleetSettingsBuilder = apply { this.listener = listener }

    /**
     * Returns the settings.
     *
     * @throws IllegalArgumentException with name, rule and value if one is out of range
     */
    public fun build(): FleetSettings = FleetSettings(this)
}
