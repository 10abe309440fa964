package dev.reprise.grpc

import dev.reprise.core.Repeat
import dev.reprise.core.RetrierCache
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.shell.http.HttpRepeats
import dev.reprise.core.shell.values.repeated
import dev.reprise.core.shell.values.within
import dev.reprise.java.JavaRetrier
import io.grpc.CallOptions
import io.grpc.Channel
import io.grpc.ClientCall
import io.grpc.ClientInterceptor
import io.grpc.Context
import io.grpc.Deadline
import io.grpc.MethodDescriptor
import java.io.InputStream
import java.util.concurrent.TimeUnit
import java.util.function.Predicate
import dev.reprise.core.CallOptions as RetryOptions

/**
 * Retries the calls of a gRPC channel, of Java and of Kotlin stubs.
 *
 * ```kotlin
 * val retrier = JavaRetrier.of(RetryPolicy.STANDARD)
 * val channel = ManagedChannelBuilder.forTarget(target)
 *     .usePlaintext()
 *     .maxRetryAttempts(0)
 *     .intercept(RetryClientInterceptor(retrier))
 *     .build()
 * ```
 *
 * Unary calls are retried until they end, calls that stream responses until the first message; response headers are held back
 * until then. Calls that stream requests pass through. [GrpcErrors] says which statuses are retried, after the policy's own
 * classifier. A method that is not marked as safe or idempotent, by its descriptor, by [idempotent] or by [GrpcCallOptions], is
 * repeated only if its request never reached a connection.
 *
 * A call ends as it would without the interceptor: with the last attempt's status and trailers. The cause of a status that is
 * not `OK` carries a [RetryTrace]. The call's deadline, and its context's, bound all attempts and waits. What they end is told on the
 * call's executor, or, if that does not take it at once, on a thread of this library.
 *
 * Interceptors below this one see each attempt. Immutable, and safe for any number of threads.
 */
public class RetryClientInterceptor private constructor(
    private val retrier: JavaRetrier,
    private val isIdempotent: Predicate<MethodDescriptor<*, *>>,
) : ClientInterceptor {
    /** All calls are [retrier]'s: one quota and one send rate for all of them. */
    public constructor(retrier: JavaRetrier) : this(retrier, { false })

    /** Retries by [RetryPolicy.STANDARD], with a quota of its own. */
    public constructor() : this(JavaRetrier.of(RetryPolicy.STANDARD))

    /** The options of each method's calls that bring none, so that a call builds none. */
    private val ofMethods = RetrierCache<String, Map<Repeat, RetryOptions>>(256) { name ->
        val named = RetryOptions(name)
        Repeat.entries.associateWith { if (it == Repeat.NEVER) HttpRepeats.once(named) else named.repeated(it) }
    }

    private class WithRules(val policy: RetryPolicy, val retrier: JavaRetrier)

    @Volatile
    private var last: WithRules? = null

    /** Returns an interceptor that also takes the methods for idempotent for which [rule] holds. It shares the retrier. */
    public fun idempotent(rule: Predicate<MethodDescriptor<*, *>>): RetryClientInterceptor =
        RetryClientInterceptor(retrier, isIdempotent.or(rule))

    override fun <Q, R> interceptCall(
        method: MethodDescriptor<Q, R>,
        options: CallOptions,
        next: Channel,
    ): ClientCall<Q, R> {
        // A call that begins too late is left to gRPC too, which says so in its own words.
        val isLate = deadlineOf(options, Context.current())?.isExpired == true
        if (isLate || !method.type.clientSendsOneMessage()) return next.newCall(method, options)
        return RetryingClientCall(this, method, options, next)
    }

    /** The retrier with gRPC's rules in its policy. */
    internal fun retrier(): JavaRetrier {
        val policy = retrier.policy()
        last?.let { if (it.policy === policy) return it.retrier }
        val rules = GrpcRules(policy.classifier, Pushback.mostOf(policy))
        return retrier.with(policy.with { classifier = rules }).also { last = WithRules(policy, it) }
    }

    /** Logs once that the channel to [authority] retries by a policy of its own. */
    internal fun ownRetriesSeen(authority: String?) = retrier.retrier().setup.warn(
        "the gRPC channel to $authority has a RetryClientInterceptor and retries by a policy of its own as well, " +
            "so attempts multiply: build it with maxRetryAttempts(0), or take the retryPolicy out of its service config",
    )

    /** The options of a call of [method] with [options] that sends [message] and has until [deadline]. */
    internal fun optionsOf(
        method: MethodDescriptor<*, *>,
        options: CallOptions,
        deadline: Deadline?,
        message: Any?,
    ): RetryOptions {
        val own = HttpRepeats.asked(options.getOption(GrpcCallOptions.KEY), retrier.options())
        val asked = if (own == null || own.operation != null) own else own.with { operation = method.fullMethodName }
        // An attempt consumes a stream, whether it is sent or not.
        val repeated = if (message is InputStream) {
            HttpRepeats.once(asked)
        } else {
            val isSafe = method.isIdempotent || method.isSafe || isIdempotent.test(method)
            HttpRepeats.optionsOf(asked, isSafe, isOneShot = false)
        }
        val named = if (asked != null) repeated else ofMethods[method.fullMethodName].getValue(repeated.repeat!!)
        return if (deadline == null) named else named.within(deadline.timeRemaining(TimeUnit.NANOSECONDS))
    }

    override fun toString(): String = "RetryClientInterceptor($retrier)"

    internal companion object {
        /** The nearer deadline of [options] and [context]; `null` for none. */
        fun deadlineOf(options: CallOptions, context: Context): Deadline? {
            val own = options.deadline
            val around = context.deadline
            return if (own == null || around == null) own ?: around else own.minimum(around)
        }
    }
}
