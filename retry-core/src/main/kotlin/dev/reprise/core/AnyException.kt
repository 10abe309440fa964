package dev.reprise.core

/**
 * Retries every exception, as most retry libraries of the JVM do by default. All else is standard mode, with its quota.
 * An exception that classifies itself or carries an HTTP response is judged by that.
 */
internal object AnyException {
    /**
     * Errors, which mean that the JVM, the class path or an assertion is broken; programming mistakes, which a repeated call
     * makes again, since the arguments or the code alone cause them; and interrupts of the caller's thread.
     * `IllegalStateException` and `NoSuchElementException` are not among them: clients throw them for a closed
     * connection and for a row that does not exist yet. Nor are checked exceptions.
     */
    private val FINAL =
        ExceptionRule(
            kind = null,
            "java.lang.Error",
            "java.lang.ArithmeticException",
            "java.lang.ArrayStoreException",
            "java.lang.ClassCastException",
            "java.lang.IllegalArgumentException",
            "java.lang.IllegalMonitorStateException",
            "java.lang.IndexOutOfBoundsException",
            "java.lang.NegativeArraySizeException",
            "java.lang.NullPointerException",
            "java.lang.UnsupportedOperationException",
            "java.util.ConcurrentModificationException",
            "kotlin.KotlinNullPointerException",
            "kotlin.NoWhenBranchMatchedException",
            "kotlin.UninitializedPropertyAccessException",
            // Thrown itself it is a cancellation; code that may not throw it wraps it, and often clears the thread's flag.
            "java.lang.InterruptedException",
            "java.io.InterruptedIOException",
            "java.nio.channels.ClosedByInterruptException",
        )

    val CLASSIFIER: Classifier =
        Classifier.firstOf(
            SelfClassifier,
            SqlErrors,
            ErrorTable.STANDARD,
            // Looked for among the causes too: most code that calls others wraps what these throw.
            ExceptionTable(
                ExceptionRule.CONNECT_TIMEOUTS,
                ExceptionRule.TIMEOUTS,
                ExceptionRule.UNSENT,
                // A name that is not found, which Java calls an illegal argument.
                ExceptionRule(FailureKind.TRANSIENT, "java.nio.channels.UnresolvedAddressException", unsent = true),
                FINAL,
            ),
            NamedErrors.TABLE,
            ExceptionTable(ExceptionRule(FailureKind.TRANSIENT, "java.lang.Exception"), depth = 1),
        )
}
