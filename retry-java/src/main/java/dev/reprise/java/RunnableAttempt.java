package dev.reprise.java;

import dev.reprise.core.Attempt;

/** The work of one attempt without a result, by code that wants to know which attempt it is. */
@FunctionalInterface
public interface RunnableAttempt<X extends Throwable> {
    /**
     * Makes the attempt.
     *
     * @throws X if the attempt fails; the policy's classifier judges that too
     */
    void run(Attempt attempt) throws X;
}
