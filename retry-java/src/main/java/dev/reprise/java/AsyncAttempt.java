package dev.reprise.java;

import dev.reprise.core.Attempt;
import java.util.concurrent.CompletionStage;

/**
 * Starts the work of one attempt, by code that wants to know which attempt it is.
 *
 * @param <T> what the work answers
 */
@FunctionalInterface
public interface AsyncAttempt<T> {
    /**
     * Starts the attempt and does not wait for it.
     *
     * @param attempt what is known of it; to be read while the attempt is being made and not kept
     * @return the attempt's end. When the attempt times out or the call is cancelled, it is cancelled if it is a
     *     {@link java.util.concurrent.Future}. A {@code null} fails the attempt with a {@link NullPointerException}.
     * @throws Exception if the attempt fails at once, which counts like a stage that fails
     */
    CompletionStage<T> start(Attempt attempt) throws Exception;

    /**
     * Is handed a result that nobody will get, because another attempt follows or the call was cancelled: closes what
     * must be closed. Called before the wait. Does nothing by default.
     *
     * @param result what the stage completed with
     */
    default void discard(T result) {}
}
