package dev.reprise.java;

import dev.reprise.core.Attempt;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** Starts the work of one attempt, by code that wants to know which attempt it is. */
@FunctionalInterface
public interface AsyncAttempt<T> extends Discarding<T> {
    /**
     * Starts the attempt and does not wait for it.
     *
     * <p>When the attempt times out or the call is cancelled, the stage is cancelled if it is a
     * {@link java.util.concurrent.Future}. A {@code null} fails the attempt with a {@link NullPointerException}.
     *
     * @throws Exception if the attempt fails at once, which counts like a stage that fails
     */
    CompletionStage<T> start(Attempt attempt) throws Exception;

    /**
     * Where the call goes on after a wait, in place of the retrier's executor; {@code null} for that one. For clients
     * whose calls have executors of their own. Must not block: timers ask. One that throws ends the call, as an
     * executor that rejects does.
     */
    default Executor executor() {
        return null;
    }
}
