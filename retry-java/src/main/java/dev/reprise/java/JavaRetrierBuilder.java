package dev.reprise.java;

import dev.reprise.core.DeadlineSource;
import dev.reprise.core.NanoClock;
import dev.reprise.core.RandomSource;
import dev.reprise.core.RetryListener;
import dev.reprise.core.RetryPolicy;
import dev.reprise.core.shell.quota.Quota;
import dev.reprise.core.shell.rate.SendRate;
import dev.reprise.coroutines.Retrier;
import dev.reprise.coroutines.RetrierBuilder;
import java.util.Objects;
import java.util.concurrent.Executor;

/** Builds a {@link JavaRetrier}. Not thread-safe. */
public final class JavaRetrierBuilder {
    private final RetrierBuilder retrier;
    private JavaWaiter waiter = JavaWaiter.SYSTEM;
    private Executor executor;
    private Executor hedgeExecutor;

    JavaRetrierBuilder(RetryPolicy policy) {
        retrier = Retrier.builder(Objects.requireNonNull(policy, "policy"));
    }

    /**
     * Sets what the retrier is called in its text, logs, traces, events and metrics (tag {@code client}), such as the
     * client or the server whose calls it retries. Not blank.
     */
    public JavaRetrierBuilder name(String name) {
        retrier.name(Objects.requireNonNull(name, "name"));
        return this;
    }

    /** Sets how to retry. */
    public JavaRetrierBuilder policy(RetryPolicy policy) {
        retrier.policy(Objects.requireNonNull(policy, "policy"));
        return this;
    }

    /**
     * Sets a quota that is shared with other retriers; {@code null} makes retries free. Unless it is set, the retrier
     * has a full one of its own if its policy has one. Under a policy without a quota retries are free, and this one is
     * left alone.
     */
    public JavaRetrierBuilder quota(Quota quota) {
        retrier.quota(quota);
        return this;
    }

    /**
     * Sets a send rate that is shared with other retriers. By default the retrier has one of its own, if its policy has
     * one at all.
     */
    public JavaRetrierBuilder sendRate(SendRate sendRate) {
        retrier.sendRate(Objects.requireNonNull(sendRate, "sendRate"));
        return this;
    }

    /** Adds a listener. */
    public JavaRetrierBuilder listener(RetryListener listener) {
        retrier.listener(Objects.requireNonNull(listener, "listener"));
        return this;
    }

    /**
     * Sets the executor on which asynchronous calls continue after a wait and complete their futures, so that
     * dependents run there. By default they continue on daemon threads of the library's own, and complete on the thread
     * of the call's last step. If the executor rejects an attempt, the call fails with its exception; if it rejects a
     * copy of a slow attempt, the call goes on without. Limits do not need it: if it does not take a future's end at
     * once, the future completes on another thread.
     */
    public JavaRetrierBuilder executor(Executor executor) {
        this.executor = Objects.requireNonNull(executor, "executor");
        return this;
    }

    /**
     * Sets where the copies of blocking calls run under a policy with a {@link dev.reprise.core.Hedge}; virtual threads
     * serve best. All else of a call stays on the caller's thread, whose thread-locals and locks a copy does not have.
     * If the executor rejects a copy, or has no thread for it, the call goes on without. Without an executor blocking
     * calls send no copies.
     */
    public JavaRetrierBuilder hedgeExecutor(Executor executor) {
        this.hedgeExecutor = Objects.requireNonNull(executor, "hedgeExecutor");
        return this;
    }

    /** Adds {@code listeners}. */
    public JavaRetrierBuilder listeners(Iterable<? extends RetryListener> listeners) {
        listeners.forEach(this::listener);
        return this;
    }

    /**
     * Sets where each call reads how long the work around it may still take; of that, the policy's deadline and the
     * call's own the shortest counts. By default nowhere.
     */
    public JavaRetrierBuilder deadlines(DeadlineSource deadlines) {
        retrier.deadlines(Objects.requireNonNull(deadlines, "deadlines"));
        return this;
    }

    /** Sets the clock that measures deadlines and rates; for tests and simulations. */
    public JavaRetrierBuilder clock(NanoClock clock) {
        retrier.clock(Objects.requireNonNull(clock, "clock"));
        return this;
    }

    /** Sets the random source of the jitter; for tests and simulations. */
    public JavaRetrierBuilder draws(RandomSource draws) {
        retrier.draws(Objects.requireNonNull(draws, "draws"));
        return this;
    }

    /** Sets what waits between attempts; for tests and simulations. It does not wait for send permits. */
    public JavaRetrierBuilder waiter(JavaWaiter waiter) {
        this.waiter = Objects.requireNonNull(waiter, "waiter");
        return this;
    }

    /** Returns a retrier of these settings. */
    public JavaRetrier build() {
        return new SharedRetrier(retrier.build(), waiter, executor, hedgeExecutor);
    }
}
