package dev.reprise.ktor

import dev.reprise.core.CallOptions
import dev.reprise.core.RetryPolicy
import dev.reprise.core.classify.BodyNeed
import dev.reprise.core.quota.Keyed
import dev.reprise.coroutines.Retrier
import io.ktor.client.request.HttpRequestBuilder
import io.ktor.http.DEFAULT_PORT
import io.ktor.http.content.OutgoingContent
import kotlinx.coroutines.CompletableJob
import kotlinx.coroutines.Job

/** The installed plugin: `client.plugin(Retry)`. Safe for any number of threads. */
public class Retries internal constructor(private val config: RetryConfig) : AutoCloseable {
    /** The retrier of each key, `host:port` by default; hand it to another client to share quota and send rate. */
    public val retriers: Keyed<String, Retrier> = shared(config) ?: own(config)

    internal val marks = AttemptMarks(config)
    internal val errorBodyBytes: Int = if (config.errorBodyBytes > 0) config.errorBodyBytes else MOST_BODY_BYTES
    internal val drainBytes: Long = config.drainBytes
    internal val hooks: List<(RetryNotice) -> Unit> = config.hooks.toList()

    /** Completes when the client is closed. */
    internal val closing: CompletableJob = Job()
    private val repeats = RepeatRules(config.idempotencyKeyHeaders.toSet(), config.isReplayable)

    /** The retrier of [request]: its key's, under the policy that it may ask for itself. */
    internal fun retrierOf(request: HttpRequestBuilder, wishes: CallWishes?): Retrier {
        val shared = retriers[config.keyOf?.invoke(request) ?: hostAndPort(request)]
        val wished = if (wishes?.changesPolicy == true) wishes.policyFrom(shared.policy) else shared.policy
        val policy = wished.knowingKtor()
        val retrier = if (policy === shared.policy) shared else shared.with(policy)
        checkSendable(retrier.policy, config.sendLimit)
        return retrier
    }

    /** What is known of [request] beyond the policy, whose body is of [kind]. */
    internal fun optionsOf(request: HttpRequestBuilder, kind: BodyKind, wishes: CallWishes?): CallOptions =
        repeats.optionsOf(request, kind, wishes)

    /** What the body of [request] is. */
    internal fun bodyKindOf(request: HttpRequestBuilder, wishes: CallWishes?): BodyKind =
        repeats.kindOf(request, wishes)

    private fun hostAndPort(request: HttpRequestBuilder): String {
        val url = request.url
        return url.host + ":" + if (url.port == DEFAULT_PORT) url.protocol.defaultPort else url.port
    }

    /** How much of which bodies [policy] is to see before it judges. */
    internal fun bodyNeedOf(policy: RetryPolicy): BodyNeed {
        val need = BodyNeed.of(policy.classifier)
        return if (need == BodyNeed.NONE && config.errorBodyBytes > 0) BodyNeed.FAILURES else need
    }

    /** Ends all waits between attempts, as cancelled. The client does so when it is closed. */
    override fun close() {
        closing.complete()
    }

    override fun toString(): String = "Retries($retriers)"
}

/** What is read of a body for a policy that asks for bodies if the configuration says nothing. */
private const val MOST_BODY_BYTES = 64 * 1024

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
    return Keyed(config.maxKeys) { Retrier.builder(policy).listeners(listeners).build() }
}

private fun checkSendable(policy: RetryPolicy, sendLimit: Int) = require(policy.maxAttempts <= sendLimit) {
    "policy.maxAttempts must be at most $sendLimit, all that HttpSend lets one call send: ${policy.maxAttempts}. " +
        "For more, install(HttpSend) { maxSendCount = … } and set the same sendLimit in install(Retry)"
}
