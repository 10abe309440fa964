package dev.reprise.stress;

import dev.reprise.core.Attempt;
import dev.reprise.java.AsyncAttempt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/** Work with two executions, which the test completes, and a count of the results that came back. */
final class Twins implements AsyncAttempt<String> {
    private final CompletableFuture<String> first = new CompletableFuture<>();
    private final CompletableFuture<String> copy = new CompletableFuture<>();
    private final AtomicInteger discarded = new AtomicInteger();
    private volatile boolean hasCopy;

    @Override
    public CompletionStage<String> start(Attempt attempt) {
        if (attempt.isCopy()) hasCopy = true;
        return attempt.isCopy() ? copy : first;
    }

    @Override
    public void discard(String result) {
        discarded.incrementAndGet();
    }

    /** The first execution ends, unless it was cancelled before. */
    void endFirst() {
        first.complete("first");
    }

    /** The copy ends. */
    void endCopy() {
        copy.complete("copy");
    }

    /** The results that are neither with the caller of {@code call} nor discarded; 0 if each went to one place. */
    String astray(CompletableFuture<String> call) {
        int made = (has(first) ? 1 : 0) + (hasCopy && has(copy) ? 1 : 0);
        int delivered = call.isDone() && !call.isCompletedExceptionally() ? 1 : 0;
        return made - discarded.get() - delivered + " astray";
    }

    private static boolean has(CompletableFuture<String> stage) {
        return stage.isDone() && !stage.isCompletedExceptionally();
    }
}
