package dev.reprise.redis

import java.util.function.Consumer
import kotlin.time.Duration
import kotlin.time.Duration.Companion.days
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/**
 * How a fleet shares a quota or a send rate. All clients of one name should have the same [prefix], [capacity] and [lifetime]; the
 * rest may differ. `docs/fleet.md` has the reason for each number.
 *
 * An immutable value, made by `FleetSettings { capacity(50_000) }` in Kotlin and by [builder] in Java.
 */
public class FleetSettings internal constructor(builder: FleetSettingsBuilder) {
    /** The prefix of all keys; for access lists. */
    internal val prefix: String = builder.prefix

    /** The tokens of the fleet's full quota, from 1 to [MOST_TOKENS]. */
    internal val capacity: Int = builder.capacity

    /**
     * The tokens that a client may spend by itself while it has never heard how many clients there are; not negative.
     */
    internal val localTokens: Int = builder.localTokens

    /** How many slots of the send rate are handed out ahead, as a time; from 100 ms to 10 s. */
    internal val horizon: Duration = builder.horizon

    /** A client works alone after this long without a reply; from 1 ms to 10 s. */
    internal val patience: Duration = builder.patience

    /** How long keys live that are not used; from 10 s to a day. */
    internal val lifetime: Duration = builder.lifetime

    /** The listener that is told when a client begins to work alone, and when it is back; `null` for none. */
    internal val listener: Consumer<FleetEvent>? = builder.listener

    init {
        requireName(prefix, "prefix")
        require(capacity in 1..MOST_TOKENS) { "capacity must be from 1 to $MOST_TOKENS: $capacity" }
        require(localTokens >= 0) { "localTokens must not be negative: $localTokens" }
        requireWithin("horizon", horizon, 100.milliseconds, 10.seconds)
        requireWithin("patience", patience, 1.milliseconds, 10.seconds)
        requireWithin("lifetime", lifetime, 10.seconds, 1.days)
    }

    /** A key of the fleet called [name]: all of one fleet have one hash tag, and so one slot of a cluster. */
    internal fun key(name: String, what: String) = "$prefix:$VERSION:{$name}:$what"

    override fun equals(other: Any?): Boolean =
        this === other || (other is FleetSettings && members() == other.members())

    override fun hashCode(): Int = members().hashCode()

    private fun members() = listOf(prefix, capacity, localTokens, horizon, patience, lifetime, listener)

    override fun toString(): String = "FleetSettings(prefix=$prefix, capacity=$capacity, localTokens=$localTokens, " +
        "horizon=$horizon, patience=$patience, lifetime=$lifetime)"

    public companion object {
        /** The most tokens that a fleet's quota can have. */
        internal const val MOST_TOKENS: Int = 100_000_000

        /** The version of the keys' content: clients of different versions share nothing. */
        private const val VERSION = 1

        /** The default settings. */
        @JvmField
        public val DEFAULT: FleetSettings = FleetSettingsBuilder().build()

        /** A builder that begins with [DEFAULT]. */
        @JvmStatic
        public fun builder(): FleetSettingsBuilder = FleetSettingsBuilder()

        /** [DEFAULT] with [changes]. */
        @JvmSynthetic
        public operator fun invoke(changes: FleetSettingsBuilder.() -> Unit): FleetSettings =
            FleetSettingsBuilder().apply(changes).build()

        private fun requireWithin(name: String, value: Duration, least: Duration, most: Duration) =
            require(value in least..most) { "$name must be from $least to $most: $value" }
    }
}
