package dev.reprise.java;

import dev.reprise.core.Attempt;

/** The work of one attempt, done on the thread that calls it, by code that wants to know which attempt it is. */
@FunctionalInterface
public interface BlockingAttempt<T, X extends Throwable> extends Discarding<T> {
    /**
     * Makes the attempt.
     *
     * @throws X if the attempt fails; the policy's classifier judges that too
     */
    T make(Attempt attempt) throws X;

    /**
     * Ends what {@code make} waits for on another thread, where an interrupt alone does not: a socket. Called right
     * after that thread was interrupted, when an execution on an executor, or one that may have a copy, is cancelled,
     * times out or loses. Must not block. Does nothing by default.
     */
    default void cut(Attempt attempt) {}
}
