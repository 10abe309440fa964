package dev.reprise.java;

import java.util.concurrent.CancellationException;

/** The calling thread was interrupted, and its interrupt flag is set again. Users know it as its superclass. */
final class CallInterruptedException extends CancellationException {
    private static final long serialVersionUID = 1L;

    CallInterruptedException(Throwable cause) {
        super("interrupted");
        initCause(cause);
    }
}
