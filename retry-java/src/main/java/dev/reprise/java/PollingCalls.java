package dev.reprise.java;

import dev.reprise.core.Polling;
import dev.reprise.core.RetryOutcome;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.shell.values.Policies;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Predicate;

/**
 * The calls of a {@link JavaRetrier} that poll until a result is good, by a {@link Polling}.
 *
 * <pre>{@code
 * Polling everySecond = Polling.every(Duration.ofSeconds(1), Duration.ofMinutes(2));
 * Job job = retrier.pollUntil(everySecond, Job::isDone, () -> client.job(id));
 * }</pre>
 *
 * <p>An exception that the policy would retry is followed by the interval too; any other ends the poll. Polls use no
 * quota. Listeners see one call. Interruption and cancellation end a poll as they end any call.
 */
public interface PollingCalls {
    /** The policy of calls that begin now. */
    RetryPolicy policy();

    /** A retrier of {@code policy} that shares all else with this one. */
    JavaRetrier with(RetryPolicy policy);

    /**
     * Runs {@code work} again and again on this thread until it returns a result that {@code isGood}, and returns that.
     *
     * @throws X the last look's own exception
     * @throws dev.reprise.core.BadResultException when the deadline passes: with the last result and the number of
     *     looks
     */
    default <T, X extends Throwable> T pollUntil(
            Polling polling, Predicate<? super T> isGood, ThrowingSupplier<T, X> work) throws X {
        return poller(polling, isGood).call(work);
    }

    /** {@link #pollUntil(Polling, Predicate, ThrowingSupplier)} that returns how the poll ended instead of throwing. */
    default <T> RetryOutcome<T> pollOutcome(Polling polling, Predicate<? super T> isGood, ThrowingSupplier<T, ?> work) {
        return poller(polling, isGood).outcome(work);
    }

    /**
     * Runs {@code work} again and again until its stage gives a result that {@code isGood}, and holds no thread while
     * it waits. Cancel the future to end the poll.
     */
    default <T> CompletableFuture<T> pollUntilAsync(
            Polling polling, Predicate<? super T> isGood, StageSupplier<T> work) {
        return poller(polling, isGood).callAsync(work);
    }

    /** {@link #pollUntilAsync(Polling, Predicate, StageSupplier)} of work that {@code executor} runs. */
    default <T> CompletableFuture<T> pollUntilAsync(
            Polling polling, Predicate<? super T> isGood, Callable<T> work, Executor executor) {
        return poller(polling, isGood).callAsync(work, executor);
    }

    /** {@link #pollUntilAsync(Polling, Predicate, StageSupplier)} whose future completes with how the poll ended. */
    default <T> CompletableFuture<RetryOutcome<T>> pollOutcomeAsync(
            Polling polling, Predicate<? super T> isGood, StageSupplier<T> work) {
        return poller(polling, isGood).outcomeAsync(work);
    }

    /** {@link #pollOutcomeAsync(Polling, Predicate, StageSupplier)} of work that {@code executor} runs. */
    default <T> CompletableFuture<RetryOutcome<T>> pollOutcomeAsync(
            Polling polling, Predicate<? super T> isGood, Callable<T> work, Executor executor) {
        return poller(polling, isGood).outcomeAsync(work, executor);
    }

    @SuppressWarnings("unchecked")
    private <T> JavaRetrier poller(Polling polling, Predicate<? super T> isGood) {
        Objects.requireNonNull(isGood, "isGood");
        return with(Policies.policyFor(polling, policy(), result -> isGood.test((T) result)));
    }
}
