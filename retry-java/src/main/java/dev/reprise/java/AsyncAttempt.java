package dev.reprise.java;

import dev.reprise.core.Attempt;
import java.util.concurrent.CompletionStage;

/** Starts the work of one attempt, by code that wants to know which attempt it is. */
@FunctionalInterface
public interface AsyncAttempt<T> {
    /**
     * Starts the attempt and does not wait for it. {@code attempt} is what is known of it, to be read while it is being
     * made and not kept.
     *
     * <p>When the attempt times out or the call is cancelled, the stage is cancelled if it is a
     * {@link java.util.concurrent.Future}. A {@code null} fails the attempt with a {@link NullPointerException}.
     *
     * @throws Exception if the attempt fails at once, which counts like a stage that fails
     */
    CompletionStage<T> start(Attempt attempt) throws Exception;

    /**
     * Is handed a result that nobody will get, because another attempt follows or the call was cancelled: closes what
     * must be closed. Called before the wait. Does nothing by default.
     */
    default void discard(T result) {}
}
