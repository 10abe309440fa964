package dev.reprise.core

import java.time.Duration
import java.util.Collections

/**
 * One header in which a server says when it wants to be asked again, and how far to follow it. A policy holds a list; the
 * first header that is there and readable counts. Immutable; compares by value.
 */
public class ServerDelayRule internal constructor(
    /** The header and its format. */
    internal val header: ServerDelayHeader,
    /** How what the server asks for and the backoff make one delay. */
    internal val bound: ServerDelayBound,
    /** The statuses on which the header is read; empty for all. */
    internal val statuses: Statuses = Statuses.NONE,
) {
    override fun equals(other: Any?): Boolean =
        other is ServerDelayRule && header == other.header && bound == other.bound && statuses == other.statuses

    override fun hashCode(): Int = (header.hashCode() * 31 + bound.hashCode()) * 31 + statuses.hashCode()

    override fun toString(): String = "${header.headerName} $bound" + if (statuses.isEmpty) "" else " on $statuses"

    /** This rule, but the header is read on these [statuses] only; empty for all. */
    public fun on(statuses: Statuses): ServerDelayRule = ServerDelayRule(header, bound, statuses)

    public companion object {
        /** `x-amz-retry-after`, at most 5 s over the backoff: standard mode 2.1. */
        internal val STANDARD: List<ServerDelayRule> = Collections.singletonList(
            of(ServerDelayHeader.AMZ_MILLIS, ServerDelayBound.clamp(Duration.ofSeconds(5))),
        )

        /** Follows [header], on every status, as far as [bound] says. */
        @JvmStatic
        public fun of(header: ServerDelayHeader, bound: ServerDelayBound): ServerDelayRule =
            ServerDelayRule(header, bound)

        /** [rules], and then those that follow `retry-after-ms` and `Retry-After` as far as [bound] says. */
        internal fun withRetryAfter(rules: List<ServerDelayRule>, bound: ServerDelayBound): List<ServerDelayRule> {
            val millis = of(ServerDelayHeader.RETRY_AFTER_MILLIS, bound)
            val seconds = of(ServerDelayHeader.RETRY_AFTER, bound)
            val all = rules.filterTo(ArrayList()) {
                it.header != millis.header && it.header.headerName != seconds.header.headerName
            }
            all += millis
            all += seconds
            return all
        }
    }
}

/**
 * Returns the first readable delay that [response] asks for under these rules, or `null`. Calls [ignored] for
 * unreadable ones before it.
 */
internal inline fun List<ServerDelayRule>.askedBy(
    response: HttpOutcome,
    ignored: (ServerDelayHeader) -> Unit,
): ServerDelay? {
    for (rule in this) {
        if (!rule.statuses.isEmpty && response.status !in rule.statuses) continue
        val asked = rule.header.read(response)
        if (asked > ServerDelayHeader.UNREADABLE) return ServerDelay(asked, rule)
        if (asked == ServerDelayHeader.UNREADABLE) ignored(rule.header)
    }
    return null
}
