package dev.reprise.java;

import dev.reprise.core.DeadlineSource;
import dev.reprise.core.RetryListener;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.backoff.Draws;
import dev.reprise.core.quota.Quota;
import dev.reprise.core.rate.SendRate;
import dev.reprise.core.time.NanoClock;
import dev.reprise.coroutines.Retrier;
import dev.reprise.coroutines.Waiter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;

/** Builds a {@link JavaRetrier}. Not thread-safe. */
public final class JavaRetrierBuilder {
    private RetryPolicy policy = RetryPolicy.STANDARD;
    private Quota quota;
    private SendRate sendRate;
    private final List<RetryListener> listeners = new ArrayList<>();
    private NanoClock clock = Retrier.SYSTEM_CLOCK;
    private Draws draws = Retrier.SYSTEM_DRAWS;
    private JavaWaiter waiter = JavaWaiter.SYSTEM;
    private Executor executor;
    private DeadlineSource deadlines;

    JavaRetrierBuilder() {}

    /** Sets how to retry. */
    public JavaRetrierBuilder policy(RetryPolicy policy) {
        this.policy = Objects.requireNonNull(policy, "policy");
        return this;
    }

    /**
     * Sets a quota that is shared with other retriers. By default the retrier has a full one of its own, if its policy
     * has one at all.
     */
    public JavaRetrierBuilder quota(Quota quota) {
        this.quota = Objects.requireNonNull(quota, "quota");
        return this;
    }

    /**
     * Sets a send rate that is shared with other retriers. By default the retrier has one of its own, if its policy has
     * one at all.
     */
    public JavaRetrierBuilder sendRate(SendRate sendRate) {
        this.sendRate = Objects.requireNonNull(sendRate, "sendRate");
        return this;
    }

    /** Adds a listener. */
    public JavaRetrierBuilder listener(RetryListener listener) {
        listeners.add(Objects.requireNonNull(listener, "listener"));
        return this;
    }

    /**
     * Sets where asynchronous calls go on after a wait and where their futures complete, so that dependents run there.
     * By default they go on in the {@linkplain java.util.concurrent.ForkJoinPool#commonPool() common pool}, and
     * complete on whatever thread the call's last step was. A call that the executor rejects fails with its exception.
     */
    public JavaRetrierBuilder executor(Executor executor) {
        this.executor = Objects.requireNonNull(executor, "executor");
        return this;
    }

    /**
     * Sets where each call reads how long the work around it may still take; of that, the policy's deadline and the
     * call's own the shortest counts. By default nowhere.
     */
    public JavaRetrierBuilder deadlines(DeadlineSource deadlines) {
        this.deadlines = Objects.requireNonNull(deadlines, "deadlines");
        return this;
    }

    /** Sets the clock that measures deadlines and rates; for tests and simulations. */
    public JavaRetrierBuilder clock(NanoClock clock) {
        this.clock = Objects.requireNonNull(clock, "clock");
        return this;
    }

    /** Sets the random source of the jitter; for tests and simulations. */
    public JavaRetrierBuilder draws(Draws draws) {
        this.draws = Objects.requireNonNull(draws, "draws");
        return this;
    }

    /** Sets what waits between attempts; for tests and simulations. The wait for a send permit is not its business. */
    public JavaRetrierBuilder waiter(JavaWaiter waiter) {
        this.waiter = Objects.requireNonNull(waiter, "waiter");
        return this;
    }

    /** The retrier. */
    public JavaRetrier build() {
        Quota own = policy.getQuota() == null ? null : policy.getQuota().open(clock);
        Quota shared = quota == null ? own : quota;
        Retrier retrier = new Retrier(policy, shared, sendRate, List.copyOf(listeners), clock, draws, Waiter.DELAY);
        return new SharedRetrier(deadlines == null ? retrier : retrier.with(deadlines), waiter, executor);
    }
}
