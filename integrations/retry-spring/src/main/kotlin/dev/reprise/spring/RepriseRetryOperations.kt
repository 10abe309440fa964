package dev.reprise.spring

import dev.reprise.core.CallOptions
import dev.reprise.java.BlockingAttempt
import dev.reprise.java.JavaRetrier
import dev.reprise.java.ThrowingRunnable
import dev.reprise.java.ThrowingSupplier
import org.springframework.core.retry.RetryException
import org.springframework.core.retry.RetryOperations
import org.springframework.core.retry.RetryPolicy
import org.springframework.core.retry.Retryable
import java.util.concurrent.CancellationException
import java.util.function.Supplier

/**
 * Spring's [RetryOperations] by a [retrier], for code that uses that interface, such as Spring's messaging modules: it
 * gets a quota, `Retry-After` and metrics in place of a `RetryTemplate`.
 *
 * An interrupt ends a call with a [CancellationException] and leaves the thread's flag set. Thread-safe.
 */
public class RepriseRetryOperations(private val retrier: JavaRetrier) : RetryOperations {
    /**
     * Runs [retryable] until it succeeds or the policy gives up.
     *
     * @throws RetryException when the policy gives up; its cause is the last attempt's own exception, and it suppresses those of the
     * attempts before, as a `RetryTemplate`'s does; of more than 100 the last 100, which its retry count then is
     */
    @Throws(RetryException::class)
    override fun <R : Any?> execute(retryable: Retryable<R>): R {
        val earlier = ArrayDeque<Throwable>()
        val end = retrier.withOptions(CallOptions.named(retryable.name))
            .outcomeWithAttempt(
                BlockingAttempt<R, Throwable> { attempt ->
                    attempt.lastFailure?.let(earlier::add)
                    if (earlier.size > MOST_EARLIER) earlier.removeFirst()
                    retryable.execute()
                },
            )
        try {
            return end.getOrThrow()
        } catch (e: Throwable) {
            throw RetryException("the policy gave up on '${retryable.name}'", e).also {
                earlier.forEach(it::addSuppressed)
            }
        }
    }

    override fun <R : Any?> invoke(supplier: Supplier<R>): R =
        retrier.call(ThrowingSupplier<R, RuntimeException> { supplier.get() })

    override fun invoke(runnable: Runnable): Unit = retrier.run(ThrowingRunnable<RuntimeException> { runnable.run() })

    override fun toString(): String = "RepriseRetryOperations($retrier)"

    public companion object {
        private const val MOST_EARLIER = 100

        /** Retries as Spring's [policy] says, with a quota on top; for code that has a policy for a `RetryTemplate`. */
        @JvmStatic
        public fun of(policy: RetryPolicy): RepriseRetryOperations =
            RepriseRetryOperations(JavaRetrier.of(SpringPolicies.translated(policy)))
    }
}
