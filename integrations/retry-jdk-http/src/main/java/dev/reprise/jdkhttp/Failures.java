package dev.reprise.jdkhttp;

import dev.reprise.core.shell.CausesKt;
import java.io.IOException;
import java.util.concurrent.CompletionException;

/** The exceptions of {@code send} and {@code sendAsync} for a call's failure. */
final class Failures {
    private Failures() {}

    /**
     * Returns or throws {@code failure} as {@code send} may: any checked exception that it does not declare in an
     * IOException.
     */
    static IOException thrownBySend(Throwable failure) throws InterruptedException {
        if (failure instanceof IOException own) return own;
        if (failure instanceof InterruptedException own) throw own;
        if (failure instanceof RuntimeException own) throw own;
        if (failure instanceof Error own) throw own;
        return new IOException(failure);
    }

    /** Throws {@code failure} of any type. */
    @SuppressWarnings("unchecked")
    static <X extends Throwable> X rethrow(Throwable failure) throws X {
        throw (X) failure;
    }

    /** {@code failure} without what a future wraps it in. */
    static Throwable withoutWrapper(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? CausesKt.causeOf(failure) : null;
        return cause == null ? failure : cause;
    }
}
