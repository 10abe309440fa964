package dev.reprise.java;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** What the blocking and the asynchronous loop do with exceptions. */
final class Throwables {
    private Throwables() {}

    /** Throws {@code failure} whatever its type is: one that the work declared, or an unchecked one. */
    @SuppressWarnings("unchecked")
    static <X extends Throwable> RuntimeException rethrow(Throwable failure) throws X {
        throw (X) failure;
    }

    /** What failed, without what futures wrap it in. */
    static Throwable withoutWrappers(Throwable failure) {
        Throwable inner = failure;
        while (inner instanceof CompletionException || inner instanceof ExecutionException) {
            if (inner.getCause() == null) return inner;
            inner = inner.getCause();
        }
        return inner;
    }

    /** Discards {@code result}, which came too late. What that throws is added to {@code carrier}, if there is one. */
    static <T> void discard(Discarding<T> work, T result, Throwable carrier) {
        try {
            work.discard(result);
        } catch (Throwable e) {
            if (carrier != null) carrier.addSuppressed(e);
        }
    }
}
