package dev.reprise.java;

import dev.reprise.core.Attempt;
import dev.reprise.core.RetryCall;
import dev.reprise.coroutines.CallSteps;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The asynchronous shell as long as nothing has to be waited for: attempts that have ended when they come back, with no
 * delay between them and a send permit there, in calls that nobody looks on. It has the named steps of the blocking
 * loop, and needs no future of its own: nobody can cancel what has not been handed out. What must wait goes on in an
 * {@link AsyncLoop}.
 */
final class StraightLoop<T> {
    private final AsyncSettings settings;
    private final CallSteps steps;
    private final AsyncAttempt<T> work;
    private final long sentAt;

    /** The loop of a call whose first attempt was sent at {@code sentAt}, or NEVER if it is not metered. */
    StraightLoop(AsyncSettings settings, CallSteps steps, AsyncAttempt<T> work, long sentAt) {
        this.settings = settings;
        this.steps = steps;
        this.work = work;
        this.sentAt = sentAt;
    }

    /** Starts an attempt; one that cannot be started has failed. */
    static <T> CompletionStage<T> start(AsyncAttempt<T> work, Attempt attempt) {
        try {
            return AsyncLoop.start(work, attempt);
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Whether the {@code first} attempt has succeeded and is all that there is to the call. */
    static boolean isAccepted(CallSteps steps, CompletionStage<?> first, long sentAt) {
        if (!hasEnded(first)) return false;
        CompletableFuture<?> ended = (CompletableFuture<?>) first;
        try {
            return !ended.isCompletedExceptionally() && steps.accepts(ended.join(), sentAt);
        } catch (Exception e) {
            return false; // A broken classifier, which the call will meet again.
        }
    }

    /** Goes on after the {@code first} attempt was started: makes the call, or hands it over. */
    CompletableFuture<T> goOn(CompletionStage<T> first) {
        RetryCall call = null;
        CompletionStage<T> stage = first;
        while (hasEnded(stage) && settings.completion() == null) {
            CompletableFuture<T> ended = (CompletableFuture<T>) stage;
            Throwable failure = failureOf(ended);
            T result = failure == null ? ended.join() : null;
            try {
                call = judge(call, result, failure);
                if (call == null) return CompletableFuture.failedFuture(failure);
                if (steps.mustWait(call)) return elsewhere().beginWait(call, result);
                if (call.isOver()) return end(call, ended);
                call.attemptStarts();
            } catch (Throwable e) {
                if (call != null) call.cancelled();
                return CompletableFuture.failedFuture(e);
            }
            stage = start(work, call);
        }
        // The other loop makes what plain calls need; when a metered one was sent is known only here.
        if (call == null && steps.getSetup().isMetered()) call = record();
        return elsewhere().begin(call, stage);
    }

    /**
     * What the end of an attempt means: the call is over, or another attempt follows. Makes the call if there is none
     * yet. Answers null if the call ends by cancellation.
     */
    private RetryCall judge(RetryCall ongoing, T result, Throwable failure) {
        if (Steps.isCancellation(failure)) {
            if (ongoing != null) ongoing.cancelled();
            return null;
        }
        RetryCall call = ongoing == null ? record() : ongoing;
        if (failure == null) call.completed(result);
        else call.failed(failure);
        if (!call.isOver() && failure == null) work.discard(result);
        return call;
    }

    private RetryCall record() {
        return new RetryCall(steps.getSetup(), steps.getOptions(), sentAt);
    }

    private CompletableFuture<T> end(RetryCall call, CompletableFuture<T> last) {
        Throwable failure = call.failure();
        return failure == null ? last : CompletableFuture.failedFuture(failure);
    }

    private AsyncLoop<T, T> elsewhere() {
        return new AsyncLoop<>(settings, steps.getSetup(), steps.getOptions(), work, RetryCall::result);
    }

    /** Whether this is a future of the plain kind, so that nothing is lost in handing it on, and has ended. */
    private static boolean hasEnded(CompletionStage<?> stage) {
        return stage.getClass() == CompletableFuture.class && ((CompletableFuture<?>) stage).isDone();
    }

    /** What {@code ended} failed with, or null. To read it as a result is cheap; to have it thrown costs a wrapper. */
    private static Throwable failureOf(CompletableFuture<?> ended) {
        if (!ended.isCompletedExceptionally()) return null;
        return AsyncLoop.withoutWrappers(
                ended.<Throwable>handle((result, failure) -> failure).join());
    }
}
