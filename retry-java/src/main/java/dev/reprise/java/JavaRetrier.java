package dev.reprise.java;

import dev.reprise.core.CallOptions;
import dev.reprise.core.DeadlineSource;
import dev.reprise.core.RetryListener;
import dev.reprise.core.RetryPolicy;
import dev.reprise.coroutines.Retrier;
import java.util.concurrent.Executor;

/**
 * Retries calls, blocking or asynchronous. It holds a policy with the quota and the send rate that all its calls share:
 * make one for each client or destination, and keep it.
 *
 * <pre>{@code
 * JavaRetrier retrier = JavaRetrier.of(RetryPolicy.STANDARD);
 * User user = retrier.call(() -> client.fetch(id));
 * CompletableFuture<User> later = retrier.callAsync(() -> client.fetchAsync(id));
 * }</pre>
 *
 * <p><b>What a call gives.</b> The first result that the policy accepts. If none is, the last attempt's own exception,
 * with its own type and one suppressed {@link dev.reprise.core.RetryTrace}; a result that was never accepted is
 * returned as it is unless the policy says throw. A first attempt that succeeds costs nothing: no lock, no object, no
 * look at the clock, unless the policy has a timeout or a send rate, or a listener is there.
 *
 * <p><b>Blocking calls</b> run on the caller's thread, platform or virtual, and park it between attempts. Interruption
 * ends a call at once, in an attempt or between two, and is never retried: see {@link #call} and
 * {@link #callInterruptibly}.
 *
 * <p><b>Asynchronous calls</b> hold no thread while they wait. Their future always completes: also when an attempt
 * cannot be started, gives a {@code null} stage, or a classifier throws. A
 * {@link java.util.concurrent.CompletionException} around a failure is looked through and not passed on. Cancelling the
 * future, or completing it in any other way, cancels the attempt in flight and ends the wait. The first attempt starts
 * on the caller's thread; one that follows a wait, on the {@linkplain JavaRetrierBuilder#executor executor}, whose
 * thread-locals it sees; one that follows no wait, on the thread that ended the one before. The library's own threads
 * have the context class loader of the thread that made the call. Limits hold whatever an executor does. Users' code
 * never runs on the thread that ends all waits, nor in the common pool unless they chose it.
 *
 * <p>An attempt that takes longer than the policy's attempt timeout is interrupted, or its future cancelled, and counts
 * as a transient {@link dev.reprise.core.AttemptTimeoutException}. The interrupt reaches the attempt alone.
 *
 * <p>An interface, so that tests can put another one in its place. Safe for any number of threads. The names say Java
 * because a Kotlin user's {@link Retrier} can be shared with it.
 */
public interface JavaRetrier extends BlockingCalls, AsyncCalls, PollingCalls {
    /** A retrier of {@code policy} with a full quota of its own. */
    static JavaRetrier of(RetryPolicy policy) {
        return builder(policy).build();
    }

    /** A retrier for Java that shares policy, quota, send rate and listeners with {@code retrier}. */
    static JavaRetrier sharing(Retrier retrier) {
        return sharing(retrier, JavaWaiter.SYSTEM, null);
    }

    /**
     * As {@link #sharing(Retrier)}, with a time of its own; for tests and simulations. It waits for send permits by
     * {@code retrier}'s waiter; {@code executor} is as in {@link JavaRetrierBuilder#executor}.
     */
    static JavaRetrier sharing(Retrier retrier, JavaWaiter waiter, Executor executor) {
        return new SharedRetrier(retrier, waiter, executor, null);
    }

    /** A builder of a retrier of {@link RetryPolicy#STANDARD}. */
    static JavaRetrierBuilder builder() {
        return builder(RetryPolicy.STANDARD);
    }

    /** A builder of a retrier of {@code policy}. */
    static JavaRetrierBuilder builder(RetryPolicy policy) {
        return new JavaRetrierBuilder(policy);
    }

    /** The retrier to share with Kotlin callers; it also shows policy, quota and send rate. */
    Retrier retrier();

    /** The waiter for waits between attempts and for attempt timeouts. */
    default JavaWaiter waiter() {
        return JavaWaiter.SYSTEM;
    }

    /** The policy of calls that begin now. */
    @Override
    default RetryPolicy policy() {
        return retrier().getPolicy();
    }

    /**
     * Replaces the policy for calls that begin from now on, of this retrier and of all that share its {@link #retrier},
     * such as its views; calls in flight keep theirs. Quota and send rate live on.
     */
    default void update(RetryPolicy policy) {
        retrier().update(policy);
    }

    /** The options of all calls; {@link CallOptions#DEFAULT} unless {@link #withOptions} gave others. */
    default CallOptions options() {
        return CallOptions.DEFAULT;
    }

    /**
     * Returns a view of this retrier whose calls have {@code options}, and where these say nothing those of this one;
     * the shorter deadline counts. It shares policy, quota, send rate and listeners, and follows {@link #update}. An
     * HTTP client or a gRPC interceptor that is made of it gives its requests these options, unless a request has its
     * own. Keep it as you would keep the options: a call through it costs no more than any other.
     *
     * <pre>{@code
     * JavaRetrier reads = retrier.withOptions(CallOptions.named("read"));
     * User user = reads.call(() -> client.fetch(id));
     * }</pre>
     */
    JavaRetrier withOptions(CallOptions options);

    /** A retrier of {@code policy} that shares all else with this one, as {@link Retrier#with(RetryPolicy)} says. */
    @Override
    JavaRetrier with(RetryPolicy policy);

    /** A retrier whose calls also end at the limit of {@code deadlines}; see {@link Retrier#with(DeadlineSource)}. */
    JavaRetrier with(DeadlineSource deadlines);

    /** A retrier that tells {@code listener} as well, as {@link Retrier#with(RetryListener)} says. */
    JavaRetrier with(RetryListener listener);
}
