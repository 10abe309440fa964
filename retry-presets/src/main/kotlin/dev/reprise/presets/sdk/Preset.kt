package dev.reprise.presets.sdk

import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.ShellApi
import java.util.Collections

/** A policy that has a name: the retry behaviour of one generation of the AWS SDKs, or of a textbook. Immutable. */
public class Preset internal constructor(
    /** The name, such as `standard-2.1`. */
    public val name: String,
    /** A description in one line. */
    public val summary: String,
    /** The services that have a policy of their own here, by their names in lower case; any other has the plain one. */
    public val services: Set<String> = Collections.emptySet(),
    private val make: (service: String?) -> RetryPolicy,
) {
    /** The policy for no service in particular. */
    public fun policy(): RetryPolicy = policy(null)

    /**
     * The policy for [service], or the plain one if that is `null` or has no policy of its own. Case and separators of a name do
     * not count: `dynamodb`, `DynamoDB Streams`, `dynamodb-streams`.
     *
     * @throws IllegalArgumentException if that is no service's name, or nearly one of [services]: `dynamdb`
     */
    public fun policy(service: String?): RetryPolicy = make(service?.let { ServiceName.find(it, services) })

    /** The one of [services] that [service] names, however it is written; `null` if none. Never throws. */
    @ShellApi
    public fun variantOf(service: String): String? = ServiceName.match(service, services)

    override fun toString(): String = "$name: $summary"
}
