package dev.reprise.ktor

import dev.reprise.core.CallOptions
import dev.reprise.core.RetryPolicy
import dev.reprise.core.quota.Keyed
import dev.reprise.coroutines.Retrier
import io.ktor.client.request.HttpRequestBuilder
import io.ktor.http.DEFAULT_PORT
import io.ktor.http.content.OutgoingContent

/** The installed plugin: `client.plugin(Retry)`. Safe for any number of threads. */
public class Retries internal constructor(private val config: RetryConfig) {
    /** The retrier of each key, `host:port` by default; hand it to another client to share quota and send rate. */
    public val retriers: Keyed<String, Retrier> = shared(config) ?: own(config)

    internal val marks = AttemptMarks(config)
    internal val errorBodyBytes: Int = config.errorBodyBytes
    internal val drainBytes: Long = config.drainBytes
    private val repeats = RepeatRules(config.idempotencyKeyHeaders.toSet(), config.isReplayable)

    /** The retrier of [request]: its key's, under the policy that it may ask for itself. */
    internal fun retrierOf(request: HttpRequestBuilder, wishes: CallWishes?): Retrier {
        val shared = retriers[config.keyOf?.invoke(request) ?: hostAndPort(request)]
        val change = wishes?.policy
        val retrier = if (change == null) shared else shared.with(change(shared.policy).knowingKtor())
        checkSendable(retrier.policy, config.sendLimit)
        return retrier
    }

    /** What is known of [request] beyond the policy. */
    internal fun optionsOf(request: HttpRequestBuilder, wishes: CallWishes?): CallOptions =
        repeats.optionsOf(request, request.body as OutgoingContent, wishes)

    private fun hostAndPort(request: HttpRequestBuilder): String {
        val url = request.url
        return url.host + ":" + if (url.port == DEFAULT_PORT) url.protocol.defaultPort else url.port
    }

    override fun toString(): String = "Retries($retriers)"
}

private fun shared(config: RetryConfig): Keyed<String, Retrier>? {
    val retriers = config.retriers ?: return null
    require(config.policy === RetryConfig.DEFAULT_POLICY && config.listeners.isEmpty()) {
        "retriers bring their own policies and listeners: set either retriers, or policy and listeners"
    }
    return retriers
}

private fun own(config: RetryConfig): Keyed<String, Retrier> {
    val policy = config.policy.knowingKtor()
    checkSendable(policy, config.sendLimit)
    val listeners = config.listeners.toList()
    return Keyed(config.maxKeys) { Retrier(policy, listeners = listeners) }
}

private fun checkSendable(policy: RetryPolicy, sendLimit: Int) = require(policy.maxAttempts <= sendLimit) {
    "policy.maxAttempts must be at most $sendLimit, all that HttpSend lets one call send: ${policy.maxAttempts}. " +
        "For more, install(HttpSend) { maxSendCount = … } and set the same sendLimit in install(Retry)"
}
