package dev.reprise.ktor

import dev.reprise.core.RetrierCache
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.http.HostKey
import dev.reprise.core.shell.http.HttpRetrier
import dev.reprise.core.shell.http.HttpRetriers
import dev.reprise.core.shell.http.RepeatRule
import dev.reprise.core.shell.layers.MarkCarriers
import dev.reprise.coroutines.Retrier
import io.ktor.client.plugins.HttpTimeoutCapability
import io.ktor.client.plugins.HttpTimeoutConfig
import io.ktor.client.request.HttpRequestBuilder
import io.ktor.http.DEFAULT_PORT
import io.ktor.util.AttributeKey
import kotlinx.coroutines.CompletableJob
import kotlinx.coroutines.Job

/** The installed plugin: `client.plugin(Retry)`. Safe for any number of threads. */
public class RetryPlugin internal constructor(private val config: RetryPluginConfig) : AutoCloseable {
    init {
        MarkCarriers.add(KtorMarks)
    }

    /** The retrier of each key, `host:port` by default; hand it to another client to share quota and send rate. */
    public val retriers: RetrierCache<String, Retrier> = shared(config) ?: own(config)

    /** Whether `HttpTimeout` was installed first, and so limits the whole call. */
    @Volatile
    internal var isWithinTimeout: Boolean = false

    internal val marks = AttemptMarks(config)
    private val ready = HttpRetriers<Retrier>(
        KtorErrors,
        config.errorBodyBytes,
        { it.policy },
        { brought, policy -> brought.with(policy) },
    )
    internal val drainBytes: Long = config.drainBytes
    internal val hooks: List<(RetryNotice) -> Unit> = config.hooks.toList()

    /** Completes when the client is closed. */
    internal val closing: CompletableJob = Job()
    internal val repeats = RepeatRules(RepeatRule(config.idempotencyKeys), config.isReplayable)

    /** The retrier of [request]: its key's, under the policy that it may ask for itself. */
    internal fun retrierOf(request: HttpRequestBuilder, overrides: RequestOverrides?): HttpRetrier<Retrier> {
        val shared = retriers[config.keyOf?.invoke(request) ?: hostAndPort(request)]
        if (KTORS_OWN in request.attributes) shared.setup.warn(LEFT_OVER)
        if (isWithinTimeout && hasTimeout(request)) shared.setup.warn(TIMEOUT_OUTSIDE)
        val retrier = if (overrides?.changesPolicy == true) {
            ready.of(shared, overrides.policyFrom(shared.policy), Retrier::lend)
        } else {
            ready.of(shared)
        }
        checkSendable(retrier.policy, config.sendLimit)
        return retrier
    }

    private fun hostAndPort(request: HttpRequestBuilder): String {
        val url = request.url
        val port = if (url.port == DEFAULT_PORT) url.protocol.defaultPort else url.port
        return HostKey.of(url.protocol.name, url.host, port)
    }

    /** Ends all waits between attempts, as cancelled. The client does so when it is closed. */
    override fun close() {
        closing.complete()
    }

    override fun toString(): String = "RetryPlugin($retriers)"
}

/** What Ktor's `retry { }` leaves in a request for `HttpRequestRetry`. Ktor keeps the key to itself; a key is its name and type. */
private val KTORS_OWN = AttributeKey<Int>("MaxRetriesPerRequestAttributeKey")

private const val LEFT_OVER =
    "retry { } on a request is for HttpRequestRetry, and does nothing in a client with Retry: " +
        "write retryPolicy { maxAttempts = … }, which counts the first attempt too, or noRetry()"

private const val TIMEOUT_OUTSIDE =
    "HttpTimeout is installed before Retry, so requestTimeoutMillis limits the whole call: one slow attempt uses " +
        "it up, and nothing is retried. To limit each attempt install Retry first; to limit the whole call set deadline in the policy"

private fun hasTimeout(request: HttpRequestBuilder): Boolean {
    val limit = request.getCapabilityOrNull(HttpTimeoutCapability)?.requestTimeoutMillis
    return limit != null && limit != HttpTimeoutConfig.INFINITE_TIMEOUT_MS
}

private fun shared(config: RetryPluginConfig): RetrierCache<String, Retrier>? =
    config.retriers?.also { HttpRetriers.requireAlone(config.policy, config.listeners) }

private fun own(config: RetryPluginConfig): RetrierCache<String, Retrier> {
    val policy = config.policy
    checkSendable(policy, config.sendLimit)
    val listeners = config.listeners.toList()
    return RetrierCache(config.maxKeys) { key ->
        Retrier.builder(policy).name(key.ifBlank { null }).listeners(listeners).build()
    }
}

private fun checkSendable(policy: RetryPolicy, sendLimit: Int) {
    val most = if (policy.hedge == null) sendLimit else sendLimit - 1
    require(policy.maxAttempts <= most) {
        "policy.maxAttempts must be at most $most, all that HttpSend lets one call send: ${policy.maxAttempts}. " +
            "For more, install(HttpSend) { maxSendCount = … } and set the same sendLimit in install(Retry)"
    }
}
