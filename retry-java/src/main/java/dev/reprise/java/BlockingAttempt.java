package dev.reprise.java;

import dev.reprise.core.Attempt;

/** The work of one attempt, done on the thread that calls it, by code that wants to know which attempt it is. */
@FunctionalInterface
public interface BlockingAttempt<T, X extends Throwable> {
    /**
     * Makes the attempt. {@code attempt} is what is known of it, to be read during the attempt and not kept.
     *
     * @throws X if the attempt fails; the policy's classifier judges that too
     */
    T make(Attempt attempt) throws X;

    /**
     * Is handed a result that nobody will get, because another attempt follows or the call was cancelled: closes what
     * must be closed. Called before the wait. Does nothing by default.
     */
    default void discard(T result) {}
}
