package dev.reprise.java;

import dev.reprise.core.Attempt;
import dev.reprise.core.ServedRequest;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * Starts each attempt of a call for the {@code request} that the call was made for: an attempt after a wait, or a copy,
 * begins on another thread, and so would calls inside it.
 */
record ServedAttempt<T>(AsyncAttempt<T> work, ServedRequest request) implements AsyncAttempt<T> {
    @Override
    public CompletionStage<T> start(Attempt attempt) throws Exception {
        return make(work::start, attempt, request);
    }

    /**
     * Returns what {@code work} makes of {@code attempt}, while the thread works for {@code request}; null for none.
     */
    static <R, X extends Throwable> R make(BlockingAttempt<R, X> work, Attempt attempt, ServedRequest request)
            throws X {
        if (request == null) return work.make(attempt);
        ServedRequest before = ServedRequest.putOnThread(request);
        try {
            return work.make(attempt);
        } finally {
            ServedRequest.putOnThread(before);
        }
    }

    @Override
    public Executor executor() {
        return work.executor();
    }
}
