package dev.reprise.redis

import dev.reprise.core.ExperimentalReprise
import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.rate.RateOutcome
import dev.reprise.core.shell.rate.SendRate
import io.lettuce.core.AbstractRedisClient

/**
 * Experimental. A send rate that all processes share under one name. The throttles of all steer one rate, and each permit is a slot
 * in time that Redis gives to one client.
 *
 * ```kotlin
 * val retrier = Retrier(policy) {
 *     quota = RedisQuota(client, "orders")
 *     sendRate = RedisSendRate(client, "orders")
 * }
 * ```
 *
 * Until the first throttle it is the client's own [SendRate]. While Redis does not reply in time, the client sends in
 * its places in the fleet's order, and less often when throttled. A client that never had a place uses its own rate. No
 * method waits for Redis, and none throws because of it. Safe for any number of threads; [close] it after the last
 * call.
 *
 * A client whose calls do not wait for a permit ([Fail][dev.reprise.core.NoPermit.Fail]) keeps one slot for the next
 * call. So each of them may send one at once after a pause, which a server without a burst may throttle.
 *
 * Limits that a server announces ([SendRateSettings.hints]) steer a client's own rate only: they do not say which part
 * of what is left is this client's.
 */
@ExperimentalReprise
public class RedisSendRate internal constructor(
    name: String,
    client: Lazy<String>,
    settings: FleetSettings,
    own: SendRateSettings,
    private val environment: Environment,
    private val connection: FleetConnection,
) : SendRate(own, environment.clock.nanoTime()),
    AutoCloseable {
    private val fleet =
        FleetRate(
            name,
            client,
            settings,
            own.minFillRate,
            environment,
            connection,
            measured = { super.measuredRate },
            isAwaited = { isAwaited },
            changed = { tellWatcher() },
        )

    /** Whether permits are slots from Redis; otherwise the client works alone. */
    public val isShared: Boolean get() = fleet.isShared

    override val isOn: Boolean get() = fleet.isInForce || super.isOn

    /**
     * The fleet's rate in attempts a second while it is in force, the client's last part of it while Redis is gone,
     * otherwise the client's own rate; null while permits are free.
     */
    override val sendRate: Double? get() = fleet.rate ?: super.sendRate

    override fun tryTake(now: Long): Boolean {
        if (fleet.isInForce) return fleet.tryTake(now)
        fleet.looksOut(now)
        return super.tryTake(now)
    }

    override fun waitNanos(now: Long, ahead: Int): Long =
        if (fleet.isInForce) fleet.waitNanos(now, ahead) else super.waitNanos(now, ahead)

    override fun putBack() {
        if (fleet.isInForce) {
            fleet.putBack()
            tellWatcher()
        } else {
            super.putBack()
        }
    }

    override fun record(outcome: RateOutcome, sentAt: Long, now: Long) {
        super.record(outcome, sentAt, now)
        fleet.record(outcome, sentAt, now)
    }

    /** Closes the connection; the rate is the client's own from then on. */
    override fun close() {
        fleet.close()
        connection.close()
    }

    public companion object {
        /** The rate of all who call it [name] on the server or the cluster of [client], which stays the caller's. */
        @JvmSynthetic
        public operator fun invoke(client: AbstractRedisClient, name: String): RedisSendRate = of(client, name)

        /** The rate of all who call it [name] on the server or the cluster of [client], which stays the caller's. */
        @JvmStatic
        public fun of(client: AbstractRedisClient, name: String): RedisSendRate =
            of(client, name, FleetSettings.DEFAULT, SendRateSettings.STEADY)

        /** [of] with [settings]. [own] is the rate of a client that works alone, its policy's. */
        @JvmStatic
        public fun of(
            client: AbstractRedisClient,
            name: String,
            settings: FleetSettings,
            own: SendRateSettings,
        ): RedisSendRate {
            requireName(name)
            val connection = LettuceConnection.of(client, Script.RATE)
            return RedisSendRate(name, lazy(::newClientId), settings, own, connection.environment, connection)
        }
    }
}
