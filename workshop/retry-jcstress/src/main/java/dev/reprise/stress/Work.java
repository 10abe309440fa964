package dev.reprise.stress;

import dev.reprise.core.Attempt;
import dev.reprise.java.AsyncAttempt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/** Work with one stage, which the test completes, and a count of the results that came back. */
final class Work implements AsyncAttempt<String> {
    static final String RESULT = "result";

    private final CompletableFuture<String> stage = new CompletableFuture<>();
    private final AtomicInteger discarded = new AtomicInteger();
    private volatile boolean isMade;

    @Override
    public CompletionStage<String> start(Attempt attempt) {
        return stage;
    }

    @Override
    public void discard(String result) {
        discarded.incrementAndGet();
    }

    /** The attempt ends with {@link #RESULT}, unless its stage was cancelled before. */
    void succeed() {
        isMade = stage.complete(RESULT);
    }

    /** The results that are neither with the caller of {@code call} nor discarded; 0 if each went to one place. */
    String astray(CompletableFuture<String> call) {
        int delivered = Outcomes.of(call).equals(RESULT) ? 1 : 0;
        return (isMade ? 1 : 0) - discarded.get() - delivered + " astray";
    }
}
