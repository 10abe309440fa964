package dev.reprise.java;

import dev.reprise.core.CallOptions;
import dev.reprise.core.CallSetup;
import dev.reprise.core.RetryCall;
import dev.reprise.core.RetryOutcome;
import dev.reprise.coroutines.CallSteps;
import dev.reprise.coroutines.Retrier;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;

/**
 * What asynchronous calls need beyond the policy. An attempt that takes too long is cancelled on {@code canceller},
 * which is no thread that such an attempt may hold; a call that has waited goes on on {@code executor}; futures
 * complete on {@code completion}, or, if that is null, wherever the call's last step was.
 */
record AsyncSettings(Retrier retrier, JavaWaiter waiter, Executor canceller, Executor executor, Executor completion) {
    // Not simply CompletableFuture's default: on two cores or fewer that is a new thread for every task.
    private static final Executor POOL = ForkJoinPool.getCommonPoolParallelism() > 0
            ? ForkJoinPool.commonPool()
            : new CompletableFuture<Void>().defaultExecutor();

    /** Those of a user who said {@code executor}, or null for nothing. */
    static AsyncSettings of(Retrier retrier, JavaWaiter waiter, Executor executor) {
        Executor elsewhere = executor == null ? POOL : executor;
        return new AsyncSettings(retrier, waiter, elsewhere, elsewhere, executor);
    }

    /** These, for attempts that run on {@code executor}: there the call goes on, and there its future completes. */
    AsyncSettings on(Executor executor) {
        return new AsyncSettings(retrier, waiter, canceller, executor, null);
    }

    /**
     * Begins a call, and makes it if nothing has to be waited for. A first attempt that has succeeded when it comes
     * back is handed on as it is and builds nothing, unless somebody looks on.
     */
    <T> CompletableFuture<T> call(CallOptions options, AsyncAttempt<T> work) {
        CallSteps steps = retrier.steps(options);
        CallSetup setup = steps.getSetup();
        RetryCall call = steps.begin();
        if (call != null) return new AsyncLoop<T, T>(this, setup, options, work, RetryCall::result).begin(call);
        long sentAt = steps.sendTime(null);
        CompletionStage<T> first = StraightLoop.start(work, setup.getFirstAttempt());
        if (StraightLoop.isAccepted(steps, first, sentAt)) return first.toCompletableFuture();
        return new StraightLoop<>(this, steps, work, sentAt).goOn(first);
    }

    /** Begins a call whose future completes with how it ended. */
    <T> CompletableFuture<RetryOutcome<T>> outcome(CallOptions options, AsyncAttempt<T> work) {
        CallSetup setup = retrier.getSetup();
        RetryCall call = Steps.start(setup, options);
        return new AsyncLoop<T, RetryOutcome<T>>(this, setup, options, work, RetryCall::outcome).begin(call);
    }
}
