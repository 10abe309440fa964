package dev.reprise.aws.kotlin

import aws.smithy.kotlin.runtime.InternalApi
import aws.smithy.kotlin.runtime.retries.RetryStrategy
import aws.smithy.kotlin.runtime.retries.RetryStrategyConfigDsl
import dev.reprise.core.CallOptions
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.values.attemptsOf
import dev.reprise.coroutines.Retrier

/**
 * The configuration of a [RepriseRetryStrategy], as the SDK asks for it. Thread-safe; replacing the policy of the
 * [retrier] shows here at once.
 */
public class StrategyConfig internal constructor(
    private val retrier: Retrier,
    private val sdkVerdicts: SdkVerdicts,
    private val longPolls: Set<String>,
) : RetryStrategy.Config {
    /** The most attempts of a call that begins now; the SDK tells them to the service in `amz-sdk-request`. */
    override val maxAttempts: Int get() = CallOptions.DEFAULT.attemptsOf(retrier.policy)

    /**
     * Lets `client.withConfig { retryStrategy(RepriseRetryStrategy) { … } }` start from this configuration, quota
     * included.
     */
    @InternalApi
    override fun toBuilderApplicator(): RetryStrategy.Config.Builder.() -> Unit = {
        if (this is Builder) {
            retrier = this@StrategyConfig.retrier
            sdkVerdicts = this@StrategyConfig.sdkVerdicts
            longPolls += this@StrategyConfig.longPolls
        } else {
            maxAttempts = this@StrategyConfig.maxAttempts
        }
    }

    override fun toString(): String = "StrategyConfig($retrier)"

    /** Builds a [RepriseRetryStrategy]. Not thread-safe. */
    @RetryStrategyConfigDsl
    public class Builder internal constructor() : RetryStrategy.Config.Builder {
        private var ownPolicy: RetryPolicy? = null

        // Apart from the policy: the retrier whose policy they change may be set after them.
        private var ownAttempts: Int? = null
        private val listeners = mutableListOf<RetryListener>()
        internal val longPolls = mutableSetOf<String>()

        /** The retrier whose quota, send rate and listeners are shared; by default a new one. */
        public var retrier: Retrier? = null

        /** How to retry; by default the [retrier]'s policy, or standard mode. */
        public var policy: RetryPolicy
            get() = (ownPolicy ?: retrier?.policy ?: RetryPolicy.STANDARD).let { base ->
                ownAttempts?.let { base.with { maxAttempts = it } } ?: base
            }
            set(value) {
                ownPolicy = value
                ownAttempts = null
            }

        /** The most attempts of one call, the first among them; at least 1. Changes the [policy]. */
        override var maxAttempts: Int
            get() = policy.maxAttempts
            set(value) {
                ownAttempts = policy.with { maxAttempts = value }.maxAttempts
            }

        /** How much the client's own judgement of a failure counts. */
        public var sdkVerdicts: SdkVerdicts = SdkVerdicts.ADD

        /** Tells [listener] of every call. */
        public fun listener(listener: RetryListener) {
            listeners += listener
        }

        /**
         * Makes [operation] (`Service.Operation`) a long poll, as `SQS.ReceiveMessage` and the polls of Step Functions
         * and SWF are: if the quota refuses its retry, its failure is delayed, so that a polling loop does not spin.
         */
        public fun longPoll(operation: String) {
            longPolls += operation
        }

        internal fun buildRetrier(): Retrier {
            val shared = retrier ?: Retrier(policy)
            val wanted = policy.takeIf { it != shared.policy }
            return listeners.fold(if (wanted == null) shared else shared.with(wanted)) { all, each -> all.with(each) }
        }
    }
}
