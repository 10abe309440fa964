package dev.reprise.core.classify

/**
 * What most retry libraries of the JVM do by default, for those who come from one: every exception is retried. All else is
 * standard mode, with its quota. An exception that says itself what it means, or that carries an HTTP response, is judged by
 * that.
 */
internal object AnyException {
    /**
     * Programming mistakes: the same call makes them again. Each is thrown because of the arguments or the code alone,
     * whatever the state of the world. `IllegalStateException` and `NoSuchElementException` are not among them: clients
     * throw them for a connection that was closed and for a row that is not there yet. Nor are checked exceptions.
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
