package dev.reprise.redis

import java.util.function.Consumer
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds
import kotlin.time.toKotlinDuration

/** Builds [FleetSettings]. Not thread-safe. */
public class FleetSettingsBuilder internal constructor() {
    internal var prefix: String = "reprise"

    internal var capacity: Int = 14_000

    internal var localTokens: Int = 500

    internal var horizon: Duration = 2.seconds

    internal var patience: Duration = 80.milliseconds

    internal var lifetime: Duration = 10.minutes

    internal var listener: Consumer<FleetEvent>? = null

    /** Sets what all keys begin with. */
    public fun prefix(prefix: String): FleetSettingsBuilder = apply { this.prefix = prefix }

    /** Sets the tokens of the fleet's full quota. */
    public fun capacity(tokens: Int): FleetSettingsBuilder = apply { capacity = tokens }

    /** Sets the tokens of a client that has never heard of the fleet. */
    public fun localTokens(tokens: Int): FleetSettingsBuilder = apply { localTokens = tokens }

    /** Sets how many slots of the send rate are handed out ahead, as a time. */
    public fun horizon(time: java.time.Duration): FleetSettingsBuilder = apply { horizon = time.toKotlinDuration() }

    /** Sets how long a client waits for a reply before it works alone. */
    public fun patience(time: java.time.Duration): FleetSettingsBuilder = apply { patience = time.toKotlinDuration() }

    /** Sets how long unused keys live. */
    public fun lifetime(time: java.time.Duration): FleetSettingsBuilder = apply { lifetime = time.toKotlinDuration() }

    /**
     * Sets the listener for a client that begins to work alone because Redis does not serve it, and for its return. Called on a thread
     * of the Redis client, of its connection or of a call: must be quick and must not wait. Its exceptions are ignored.
     */
    public fun listener(listener: Consumer<FleetEvent>): FleetSettingsBuilder = apply { this.listener = listener }

    /** Sets how many slots of the send rate are handed out ahead, as a time. */
    @JvmSynthetic
    public fun horizon(time: Duration): FleetSettingsBuilder = apply { horizon = time }

    /** Sets how long a client waits for a reply before it works alone. */
    @JvmSynthetic
    public fun patience(time: Duration): FleetSettingsBuilder = apply { patience = time }

    /** Sets how long unused keys live. */
    @JvmSynthetic
    public fun lifetime(time: Duration): FleetSettingsBuilder = apply { lifetime = time }

    /**
     * Returns the settings.
     *
     * @throws IllegalArgumentException with name, rule and value if one is out of range
     */
    public fun build(): FleetSettings = FleetSettings(this)
}
