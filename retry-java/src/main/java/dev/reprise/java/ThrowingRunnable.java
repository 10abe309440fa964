package dev.reprise.java;

/** Work without a result. Its exception passes through with its own type. */
@FunctionalInterface
public interface ThrowingRunnable<X extends Throwable> {
    /**
     * Does the work once.
     *
     * @throws X if the work fails
     */
    void run() throws X;
}
