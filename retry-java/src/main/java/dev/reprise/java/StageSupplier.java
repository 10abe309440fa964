package dev.reprise.java;

import dev.reprise.core.Attempt;
import java.util.concurrent.CompletionStage;

/** Starts the work of one attempt, such as {@code () -> client.fetchAsync(id)}. */
@FunctionalInterface
public interface StageSupplier<T> extends AsyncAttempt<T> {
    /**
     * Starts the work and does not wait for it.
     *
     * @throws Exception if the work fails at once
     */
    CompletionStage<T> get() throws Exception;

    @Override
    default CompletionStage<T> start(Attempt attempt) throws Exception {
        return get();
    }
}
