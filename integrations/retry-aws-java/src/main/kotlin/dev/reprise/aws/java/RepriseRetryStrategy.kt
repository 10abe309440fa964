package dev.reprise.aws.java

import dev.reprise.core.CallOptions
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.values.attemptsOf
import dev.reprise.java.JavaRetrier
import dev.reprise.presets.Presets
import dev.reprise.presets.config.ConfigOverrides
import software.amazon.awssdk.core.SdkPlugin
import software.amazon.awssdk.retries.api.AcquireInitialTokenRequest
import software.amazon.awssdk.retries.api.AcquireInitialTokenResponse
import software.amazon.awssdk.retries.api.RecordSuccessRequest
import software.amazon.awssdk.retries.api.RecordSuccessResponse
import software.amazon.awssdk.retries.api.RefreshRetryTokenRequest
import software.amazon.awssdk.retries.api.RefreshRetryTokenResponse
import software.amazon.awssdk.retries.api.RetryStrategy
import java.time.Duration
import java.util.concurrent.CompletableFuture

/**
 * Reprise as the retry strategy of clients of the AWS SDK for Java 2.x, synchronous and asynchronous.
 *
 * ```java
 * DynamoDbClient client = DynamoDbClient.builder()
 *         .addPlugin(RepriseRetryStrategy.standard().plugin())
 *         .build();
 * ```
 *
 * Clients with the same strategy share its quota and its send rate. The SDK makes the attempts and does the waiting;
 * the strategy decides. An exception that the SDK throws after several attempts carries a suppressed
 * [RetryTrace][dev.reprise.core.RetryTrace].
 *
 * With the [plugin] the strategy knows each call's service and operation from the start, the beginning of each attempt,
 * and cancellations. Without it, the tokens of a cancelled call come back when the garbage collector finds the call.
 *
 * The SDK enforces time limits by its own `apiCallTimeout` and `apiCallAttemptTimeout`, which the plugin sets from the
 * policy. Safe for any number of threads.
 */
public abstract class RepriseRetryStrategy internal constructor(
    internal val retriers: Retriers,
    internal val service: String?,
    private val usesClientDefaults: Boolean,
) : RetryStrategy {
    /** The policy of calls that begin now, to [forService]'s service if that is known. */
    public fun policy(): RetryPolicy = retriers.policy(service)

    /** The retrier that this strategy's calls share, for its quota, its send rate, and other callers. */
    public fun retrier(): JavaRetrier = JavaRetrier.sharing(retriers.root)

    /**
     * Replaces the policy for calls that begin from now on, to any service and in any quota scope, in all clients that share this
     * strategy; calls in flight keep theirs. Quotas and send rates live on; the retriers of scopes keep their own policy for
     * others. The SDK's user agent, and the plugin's time limits, stay as they were.
     */
    public fun update(policy: RetryPolicy): Unit = retriers.root.update(policy)

    /**
     * This strategy for calls to [service], such as `dynamodb`, whose policy may differ. All else is shared.
     *
     * @throws IllegalArgumentException if that is no service's name, or misspells one whose policy differs
     */
    public fun forService(service: String): RepriseRetryStrategy {
        retriers.source.check(service)
        return Modes.strategy(this, service)
    }

    /** A plugin that puts this strategy, and the hooks that it profits from, into a client. */
    public fun plugin(): SdkPlugin = ReprisePlugin(this)

    /**
     * Begins a call. In adaptive mode this waits for a send permit.
     *
     * @throws software.amazon.awssdk.core.exception.AbortedException when the thread is interrupted
     */
    override fun acquireInitialToken(request: AcquireInitialTokenRequest): AcquireInitialTokenResponse {
        val call = begin()
        call.wanted()?.blocking(call)
        return begun(call)
    }

    /** [acquireInitialToken], waiting without a thread. */
    override fun acquireInitialTokenAsync(
        request: AcquireInitialTokenRequest,
    ): CompletableFuture<AcquireInitialTokenResponse> = future {
        val call = begin()
        val wait = call.wanted() ?: return@future CompletableFuture.completedFuture(begun(call))
        wait.async(call).thenApply { begun(call) }
    }

    /** Judges a failure, and in adaptive mode waits for the next attempt's permit. */
    override fun refreshRetryToken(request: RefreshRetryTokenRequest): RefreshRetryTokenResponse {
        val token = tokenOf(request.token())
        val delay = judged(token, request, isAsync = false)
        Payment.blocking(token.call)
        token.call.wanted()?.blocking(token.call)
        return goesOn(token, request, delay)
    }

    /** [refreshRetryToken], waiting without a thread. */
    override fun refreshRetryTokenAsync(
        request: RefreshRetryTokenRequest,
    ): CompletableFuture<RefreshRetryTokenResponse> = future {
        val token = tokenOf(request.token())
        val delay = judged(token, request, isAsync = true)
        Payment.async(token.call)
            .thenCompose { token.call.wanted()?.async(token.call) ?: CompletableFuture.completedFuture(null) }
            .thenApply { goesOn(token, request, delay) }
    }

    /** Ends a call; the tokens of its last retry come back. */
    override fun recordSuccess(request: RecordSuccessRequest): RecordSuccessResponse {
        val token = tokenOf(request.token())
        token.call.attemptSucceeded()
        token.ended()
        return RecordSuccessResponse.create(token)
    }

    /** The most attempts of a call, which the SDK sends in the header `amz-sdk-request`. */
    override fun maxAttempts(): Int = CallOptions.DEFAULT.attemptsOf(policy())

    /** Whether the SDK may add rules of its own; false by default, since they are here already. */
    override fun useClientDefaults(): Boolean = usesClientDefaults

    override fun toString(): String = "RepriseRetryStrategy(${retriers.root}${service?.let { ", $it" } ?: ""})"

    private fun begin(): AwsCall {
        val context = CallContext.take(retriers)
        val call = AwsCall(retriers, context, service ?: context?.service)
        context?.call = call
        return call
    }

    private fun begun(call: AwsCall): AcquireInitialTokenResponse {
        call.firstAttempt()
        val token = AwsToken(call)
        return AcquireInitialTokenResponse.create(if (call.hasToEnd) token.watched() else token, Duration.ZERO)
    }

    private fun judged(token: AwsToken, request: RefreshRetryTokenRequest, isAsync: Boolean): Duration = try {
        token.call.attemptFailed(request, isAsync)
    } catch (e: Throwable) {
        token.ended()
        throw e
    }

    private fun goesOn(token: AwsToken, request: RefreshRetryTokenRequest, delay: Duration): RefreshRetryTokenResponse {
        token.call.refusal(request)?.let {
            token.ended()
            throw it
        }
        return RefreshRetryTokenResponse.create(token.watched(), delay)
    }

    private fun tokenOf(token: Any): AwsToken = token as? AwsToken
        ?: throw IllegalArgumentException("the token must be one of this strategy: ${token.javaClass.name}")

    private inline fun <T> future(block: () -> CompletableFuture<T>): CompletableFuture<T> = try {
        block()
    } catch (e: Throwable) {
        CompletableFuture.failedFuture(e)
    }

    public companion object {
        /** Standard mode of November 2026: the preset `standard-2.1`, with DynamoDB's own attempts and backoff. */
        @JvmStatic
        public fun standard(): RepriseRetryStrategy = named("standard-2.1")

        /** [standard] with a quota and a send rate that follow the client and its server: the preset `adaptive-steady`. */
        @JvmStatic
        public fun adaptive(): RepriseRetryStrategy = named("adaptive-steady")

        /**
         * The [preset][Presets] called [name].
         *
         * @throws IllegalArgumentException if there is none; the message lists all
         */
        @JvmStatic
        public fun named(name: String): RepriseRetryStrategy = builder().preset(name).build()

        /** [policy] for every service. */
        @JvmStatic
        public fun of(policy: RetryPolicy): RepriseRetryStrategy = builder().policy(policy).build()

        /**
         * The policy of [retrier], whose quota, send rate and listeners are shared; follows when it is replaced.
         *
         * @throws IllegalArgumentException if it is a view with options: the SDK's calls have their own
         */
        @JvmStatic
        public fun sharing(retrier: JavaRetrier): RepriseRetryStrategy = builder().retrier(retrier).build()

        /**
         * The strategy of `AWS_RETRY_MODE`, `AWS_MAX_ATTEMPTS` and the profile file, read once; see
         * [AwsRetryConfig][dev.reprise.presets.config.AwsRetryConfig].
         *
         * @throws dev.reprise.presets.config.ConfigException if a setting has a wrong value
         */
        @JvmStatic
        @JvmOverloads
        public fun fromEnvironment(overrides: ConfigOverrides = ConfigOverrides.NONE): RepriseRetryStrategy =
            builder().environment(overrides).build()

        /** A builder of [standard]. */
        @JvmStatic
        public fun builder(): RepriseRetryStrategyBuilder = RepriseRetryStrategyBuilder()
    }
}
