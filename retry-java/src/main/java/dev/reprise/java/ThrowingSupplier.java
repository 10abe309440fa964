package dev.reprise.java;

import dev.reprise.core.Attempt;

/** The work of one attempt, such as {@code () -> client.fetch(id)}. Its exception passes through with its own type. */
@FunctionalInterface
public interface ThrowingSupplier<T, X extends Throwable> extends BlockingAttempt<T, X> {
    /**
     * Does the work once.
     *
     * @throws X if the work fails
     */
    T get() throws X;

    @Override
    default T make(Attempt attempt) throws X {
        return get();
    }
}
