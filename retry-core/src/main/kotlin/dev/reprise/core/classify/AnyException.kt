package dev.reprise.core.classify

/**
 * Retries every exception, as most retry libraries of the JVM do by default. All else is standard mode, with its quota.
 * An exception that classifies itself or carries an HTTP response is judged by that.
 */
internal object AnyException {
    /**
     * Programming mistakes. A repeated call makes them again, since the arguments or the code alone cause them.
     * `IllegalStateException` and `NoSuchElementException` are not among them: clients throw them for a closed
     * connection and for a row that does not exist yet. Nor are checked exceptions.
     */
    private val MISTAKES: Set<String> =
        setOf(
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
        )

    /** An [Error] says that the JVM, the class path or an assertion is broken. */
    private val ERRORS: Set<String> = setOf("java.lang.Error")

    /** `IOException`s that say that the caller's thread was interrupted. */
    private val INTERRUPTS: Set<String> =
        setOf("java.io.InterruptedIOException", "java.nio.channels.ClosedByInterruptException")

    val CLASSIFIER: Classifier =
        Classifier.firstOf(
            SelfClassifier,
            SqlErrors,
            ErrorTable.STANDARD,
            // Looked for among the causes too: most code that calls others wraps what these throw.
            ExceptionTable(
                listOf(
                    ExceptionRule.TIMEOUTS,
                    ExceptionRule.UNSENT,
                    ExceptionRule(kind = null, types = ERRORS + MISTAKES + INTERRUPTS),
                ),
            ),
            ExceptionTable(listOf(ExceptionRule(FailureKind.TRANSIENT, setOf("java.lang.Exception"))), depth = 1),
        )
}
