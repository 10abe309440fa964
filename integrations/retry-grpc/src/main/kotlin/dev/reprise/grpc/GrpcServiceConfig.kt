@file:JvmName("GrpcServiceConfigs")

package dev.reprise.grpc

import dev.reprise.core.Backoff
import dev.reprise.core.FailureKind
import dev.reprise.core.ResultScope
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Verdict
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.core.shell.values.ceilingNanos
import dev.reprise.core.shell.values.deadlineNanos
import dev.reprise.core.shell.values.limits
import dev.reprise.core.shell.values.members
import io.grpc.Metadata
import io.grpc.Status
import java.math.BigDecimal

/** A policy as far as gRPC's service config can say it. Immutable; compares by value. */
public class GrpcServiceConfig internal constructor(
    /** The service config, for `ManagedChannelBuilder.defaultServiceConfig`. */
    public val config: Map<String, Any>,
    /** The settings of the policy that the service config cannot express, in words. */
    public val dropped: List<String>,
) {
    override fun equals(other: Any?): Boolean =
        other is GrpcServiceConfig && config == other.config && dropped == other.dropped

    override fun hashCode(): Int = config.hashCode() * 31 + dropped.hashCode()

    override fun toString(): String = "$config, dropped: ${dropped.ifEmpty { "nothing" }}"
}

/**
 * Returns this policy as a service config of gRPC, for clients without Reprise, with a list of the settings that it
 * drops. It holds for the [methods], such as `shop.Orders` or `shop.Orders/Get`; without any for all. In Java
 * `GrpcServiceConfigs.of(policy)`.
 */
@JvmName("of")
public fun RetryPolicy.toGrpcServiceConfig(vararg methods: String): GrpcServiceConfig {
    val names = if (methods.isEmpty()) listOf(emptyMap()) else methods.map(::nameOf)
    val settings = buildMap {
        put("name", names)
        if (deadlineNanos != UNLIMITED_NANOS) put("timeout", seconds(deadlineNanos))
        val codes = retriedCodes()
        if (maxAttempts > 1 && codes.isNotEmpty()) put("retryPolicy", retryPolicy(codes))
    }
    return GrpcServiceConfig(mapOf("methodConfig" to listOf(settings)), dropped())
}

private fun nameOf(method: String): Map<String, String> {
    val parts = method.split('/')
    require(parts.size <= 2 && parts.none(String::isEmpty)) { "a method must be Service or Service/Method: $method" }
    return if (parts.size == 1) mapOf("service" to parts[0]) else mapOf("service" to parts[0], "method" to parts[1])
}

private fun RetryPolicy.retryPolicy(codes: List<String>): Map<String, Any> {
    val first = ceiling(0).coerceAtLeast(1)
    return mapOf(
        // A service config has JSON's numbers.
        "maxAttempts" to minOf(maxAttempts, MOST_ATTEMPTS).toDouble(),
        "initialBackoff" to seconds(first),
        "maxBackoff" to seconds(mostBackoff().coerceAtLeast(first)),
        "backoffMultiplier" to (growing("factor") as Double? ?: (ceiling(1).coerceAtLeast(1).toDouble() / first)),
        "retryableStatusCodes" to codes,
    )
}

/** A member of the backoff, if it is exponential. */
private fun RetryPolicy.growing(member: String): Any? =
    backoff.members()?.takeIf { it["type"] == "exponential" }?.get(member)

private fun RetryPolicy.mostBackoff() = growing("cap") as Long? ?: ceiling(MOST_ATTEMPTS)

private fun RetryPolicy.ceiling(retryIndex: Int) = backoff.ceilingNanos(retryIndex, FailureKind.TRANSIENT)

/** The statuses that a call under this policy would retry. */
private fun RetryPolicy.retriedCodes(): List<String> {
    val rules = GrpcRules(classifier, Long.MAX_VALUE)
    return Status.Code.entries.filter { code ->
        code != Status.Code.OK &&
            rules.classifyFailure(AttemptFailure(code.toStatus(), Metadata(), isUnsent = false)) is Verdict.Retry
    }.map { it.name }
}

private fun RetryPolicy.dropped(): List<String> = listOfNotNull(
    "idempotency: gRPC retries every method that the config names",
    "jitter: gRPC waits 80 to 120 % of the backoff",
    "the bound of server delays: gRPC follows any pushback, and no RetryInfo".takeIf { serverDelays.isNotEmpty() },
    quota?.let { "quota: $it" },
    sendRate?.let { "send rate: $it" },
    hedge?.let { "copies: $it" },
    "attempts: $maxAttempts, and gRPC makes at most $MOST_ATTEMPTS".takeIf { maxAttempts > MOST_ATTEMPTS },
    "attempt timeouts: ${limits.joinToString { seconds(it) }}".takeIf { limits.any { it != UNLIMITED_NANOS } },
    "the backoff after throttling: $backoff".takeIf { isSlowerWhenThrottled(backoff) },
    "the shape of the backoff: $backoff".takeIf { backoff.members()?.get("type") !in setOf("exponential", "fixed") },
    "rules about messages".takeIf { classifier.resultScope == ResultScope.ANY },
)

private fun isSlowerWhenThrottled(backoff: Backoff) =
    backoff.ceilingNanos(0, FailureKind.TRANSIENT) != backoff.ceilingNanos(0, FailureKind.THROTTLING)

private fun seconds(nanos: Long): String = "${BigDecimal.valueOf(nanos, NANO_DIGITS).toPlainString()}s"

/** The cap on attempts in every gRPC library. */
private const val MOST_ATTEMPTS = 5
private const val NANO_DIGITS = 9
