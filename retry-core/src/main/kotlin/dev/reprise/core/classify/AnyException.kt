package dev.reprise.core.classify

import java.util.Arrays

/**
 * What most retry libraries of the JVM do by default, for those who come from one: every exception is retried. All else is
 * standard mode, with its quota. An exception that says itself what it means, or that carries an HTTP response, is judged by
 * that.
 */
internal object AnyException {
    /**
     * Errors, which say that the JVM, the class path or an assertion is broken; programming mistakes, which the same call makes
     * again; and what says that the caller's thread was interrupted. A mistake is thrown because of the arguments or the code
     * alone, whatever the state of the world. `IllegalStateException` and `NoSuchElementException` are not among them: clients
     * throw them for a connection that was closed and for a row that is not there yet. Nor are checked exceptions.
     */
    private val FINAL: Set<String> =
        namesOf(
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
                Arrays.asList(
                    ExceptionRule.TIMEOUTS,
                    ExceptionRule.UNSENT,
                    ExceptionRule(kind = null, types = FINAL),
                ),
            ),
            ExceptionTable(listOf(ExceptionRule(FailureKind.TRANSIENT, namesOf("java.lang.Exception"))), depth = 1),
        )
}
