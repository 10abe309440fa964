package dev.reprise.grpc

import dev.reprise.core.RetryPolicy
import dev.reprise.core.ServerDelay
import dev.reprise.core.ServerDelayBound
import dev.reprise.core.ServerDelayHeader
import dev.reprise.core.ServerDelayRule
import dev.reprise.core.shell.time.MILLI
import dev.reprise.core.shell.values.ServerDelay
import dev.reprise.core.shell.values.bound
import dev.reprise.core.shell.values.limitNanos
import io.grpc.Metadata
import java.time.Duration

/** The server's word on the next attempt, in the trailer that gRPC's retry design (A6) defines. */
internal object Pushback {
    /** The server did not say. */
    const val ABSENT = Long.MIN_VALUE

    /** The server wants no retry. */
    const val STOP = -1L

    /** The longest wait that is followed if the policy has no bound for server delays: a minute, as over HTTP. */
    const val MOST_NANOS = 60_000_000_000L

    val KEY: Metadata.Key<String> = Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER)

    /** How many attempts came before a request, as A6 says; not sent with the first one. */
    val PREVIOUS_ATTEMPTS: Metadata.Key<String> =
        Metadata.Key.of("grpc-previous-rpc-attempts", Metadata.ASCII_STRING_MARSHALLER)

    /** The wait that [trailers] set in ns, the longest of several; [STOP] if one is negative or unreadable, or [ABSENT]. */
    fun nanosIn(trailers: Metadata): Long {
        val waits = trailers.getAll(KEY)?.map { it.toIntOrNull() ?: -1 } ?: return ABSENT
        return if (waits.any { it < 0 }) STOP else waits.max() * MILLI
    }

    /** A server that asks for at least [nanos]; for more than [mostNanos] the call ends. */
    fun atLeast(nanos: Long, mostNanos: Long): ServerDelay =
        // The rule carries the bound alone: the wait has been read, and not from its header.
        ServerDelay(nanos, ServerDelayRule.of(ServerDelayHeader.RETRY_AFTER, bound(mostNanos)))

    private fun bound(nanos: Long) = ServerDelayBound.atLeast(Duration.ofNanos(nanos))

    /** The longest wait that [policy] follows: the widest of its bounds. */
    fun mostOf(policy: RetryPolicy): Long = policy.serverDelays.maxOfOrNull { it.bound.limitNanos } ?: MOST_NANOS
}
