package dev.reprise.micrometer

import dev.reprise.core.Upstream
import io.micrometer.core.instrument.Counter
import io.micrometer.core.instrument.MeterRegistry
import java.util.function.Consumer

/**
 * Counts the requests that a server gets by the number of the attempt that their callers make: where many are not the first,
 * this server is being retried. Hand it to a server's plugin:
 *
 * ```
 * install(RetryUpstream) { onRequest = InboundMetrics(registry) }
 * ```
 *
 * The counters are called `reprise.inbound.attempts`; their tag `attempt` is `1` to `4`, and `5+` for all further ones. Safe for
 * any number of threads.
 */
public class InboundMetrics(registry: MeterRegistry) : Consumer<Upstream> {
    private val counters = (1..MOST).map { number ->
        Counter.builder("reprise.inbound.attempts")
            .description("Requests that the server got, by the number of their caller's attempt")
            .tag("attempt", if (number == MOST) "$MOST+" else "$number")
            .register(registry)
    }

    override fun accept(upstream: Upstream): Unit = counters[minOf(upstream.attempt, MOST) - 1].increment()
}

private const val MOST = 5
