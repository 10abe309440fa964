package dev.reprise.micrometer

import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryEventListener
import dev.reprise.core.quota.Quota
import dev.reprise.core.rate.SendRate
import io.micrometer.core.instrument.MeterRegistry
import io.micrometer.core.instrument.Tag
import io.micrometer.core.instrument.Tags
import java.util.concurrent.ConcurrentHashMap

/**
 * Counts what the calls of one client do, in the meters that [Meters] names. Hand it to a retrier as a listener, and let it
 * [watch] the retrier's quota and send rate:
 *
 * ```
 * val metrics = RetryMetrics(registry, "users-api")
 * val retrier = Retrier(policy) { listener(metrics) }
 * metrics.watch(retrier.quota, retrier.sendRate)
 * ```
 *
 * The number of time series is bounded. Every meter carries the tags `client` and `operation` and those given here.
 * Operations are told apart only if [maxOperations] allows it: the first so many names get a value of their own, later
 * ones share `other`, calls without a name are `unnamed`, and with 0 all calls share `all`.
 *
 * All meters of a client are there, at zero, from the start. Safe for any number of threads.
 */
public class RetryMetrics(
    private val registry: MeterRegistry,
    /** The name of the client, the value of the tag `client`; one `RetryMetrics` for each. */
    client: String,
    tags: Iterable<Tag>,
    private val maxOperations: Int,
) : RetryEventListener {
    /** Metrics of [client] that tell no operations apart. */
    public constructor(registry: MeterRegistry, client: String) : this(registry, client, Tags.empty(), maxOperations = 0)

    /** Metrics of [client] with [tags] of yours, which tell no operations apart. */
    public constructor(registry: MeterRegistry, client: String, tags: Iterable<Tag>) :
        this(registry, client, tags, maxOperations = 0)

    /** Metrics of [client] that tell [maxOperations] apart. */
    public constructor(registry: MeterRegistry, client: String, maxOperations: Int) :
        this(registry, client, Tags.empty(), maxOperations)

    init {
        require(client.isNotBlank()) { "client must not be blank: '$client'" }
        require(maxOperations >= 0) { "maxOperations must not be negative: $maxOperations" }
    }

    private val tags = Tags.of(tags).and(Meters.CLIENT, client)
    private val operations = ConcurrentHashMap<String, OperationMeters>()
    private val everythingElse = metersOf(if (maxOperations > 0) OTHER else ALL)
    private val unnamed: OperationMeters by lazy { metersOf(UNNAMED) }

    /**
     * Shows the level of [quota] and the rates of [sendRate] as gauges, as long as these objects are held elsewhere; a
     * `null` shows nothing. [more] tags tell several apart, such as one for each host; keep their values few.
     */
    @JvmOverloads
    public fun watch(quota: Quota?, sendRate: SendRate? = null, more: Iterable<Tag> = Tags.empty()) {
        if (quota != null) watchQuota(registry, tags.and(more), quota)
        if (sendRate != null) watchSendRate(registry, tags.and(more), sendRate)
    }

    override fun onPermitWaited(event: RetryEvent.PermitWaited): Unit = metersOf(event).permitWaited(event.waitNanos)

    override fun onRetryScheduled(event: RetryEvent.RetryScheduled): Unit = metersOf(event).retryScheduled(event)

    override fun onCallSucceeded(event: RetryEvent.CallSucceeded): Unit = metersOf(event).succeeded(event.attempts)

    override fun onCallGaveUp(event: RetryEvent.CallGaveUp): Unit = metersOf(event).gaveUp(event.attempts, event.reason)

    override fun onCallCancelled(event: RetryEvent.CallCancelled): Unit = metersOf(event).cancelled(event.attempts)

    private fun metersOf(event: RetryEvent): OperationMeters {
        if (maxOperations == 0) return everythingElse
        val name = event.operation
        if (name.isNullOrBlank()) return unnamed
        return operations[name] ?: metersOfNew(name)
    }

    /** One at a time: racing threads would make the bound a guess. */
    @Synchronized
    private fun metersOfNew(name: String): OperationMeters = operations[name]
        ?: if (operations.size >= maxOperations) everythingElse else metersOf(name).also { operations[name] = it }

    private fun metersOf(operation: String) = OperationMeters(registry, tags.and(Meters.OPERATION, operation))

    override fun toString(): String = "RetryMetrics($tags)"

    private companion object {
        const val ALL = "all"
        const val OTHER = "other"
        const val UNNAMED = "unnamed"
    }
}
