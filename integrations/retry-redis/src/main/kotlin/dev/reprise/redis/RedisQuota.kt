package dev.reprise.redis

import dev.reprise.core.shell.quota.SharedQuota
import io.lettuce.core.AbstractRedisClient
import java.util.UUID

/**
 * A quota that all processes share under one name.
 *
 * ```kotlin
 * val retrier = Retrier(policy) { quota = RedisQuota(client, "orders") }
 * ```
 *
 * Calls that succeed cost nothing, and first attempts send nothing. Retries are paid from tokens that Redis has leased;
 * the client asks for them during the backoff. While Redis does not reply in time, the client spends its share of the
 * fleet's last tokens, or begins with a lone process's quota if it never had a reply. No method waits for Redis, and
 * none throws because of it. Safe for any number of threads; [close] it after the last call.
 */
public class RedisQuota internal constructor(private val quota: FleetQuota) :
    SharedQuota by quota,
    AutoCloseable {
    /**
     * Whether Redis served the client's last command; before the first one, false once the connection has failed. Otherwise
     * the client works alone. A client that is back lives on its share for 3.5 s.
     */
    public val isShared: Boolean get() = quota.isShared

    /** Gives back what is leased, and closes the connection. */
    override fun close(): Unit = quota.close()

    override fun toString(): String = quota.toString()

    public companion object {
        /** The quota of all who call it [name] on the server or the cluster of [client], which stays the caller's. */
        @JvmSynthetic
        public operator fun invoke(client: AbstractRedisClient, name: String): RedisQuota = of(client, name)

        /** [invoke] with settings of their own, the same in all of them. */
        @JvmSynthetic
        public operator fun invoke(
            client: AbstractRedisClient,
            name: String,
            settings: FleetSettingsBuilder.() -> Unit,
        ): RedisQuota = of(client, name, FleetSettings(settings))

        /** The quota of all who call it [name] on the server or the cluster of [client], which stays the caller's. */
        @JvmStatic
        public fun of(client: AbstractRedisClient, name: String): RedisQuota = of(client, name, FleetSettings.DEFAULT)

        /** [of] with [settings]. */
        @JvmStatic
        public fun of(client: AbstractRedisClient, name: String, settings: FleetSettings): RedisQuota {
            requireName(name)
            val connection = LettuceConnection.of(client, Script.QUOTA)
            return RedisQuota(FleetQuota(name, lazy(::newClientId), settings, connection.environment, connection))
        }
    }
}

/** A name may stand in a key between braces. */
internal fun requireName(name: String, what: String = "name") =
    require(name.isNotBlank() && name.none { it == '{' || it == '}' }) {
        "$what must not be blank, and have no braces: '$name'"
    }

/** Two clients never have the same id: the system's random numbers are not copied with the image of a process. */
internal fun newClientId(): String = UUID.randomUUID().toString().replace("-", "")
