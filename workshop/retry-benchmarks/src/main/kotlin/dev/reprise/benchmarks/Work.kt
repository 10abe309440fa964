package dev.reprise.benchmarks

import org.openjdk.jmh.annotations.CompilerControl
import org.openjdk.jmh.annotations.Param
import org.openjdk.jmh.annotations.Scope
import org.openjdk.jmh.annotations.State
import java.util.concurrent.CompletableFuture

/** How the calls of a benchmark go. */
enum class Row(val failures: Int, val text: String) {
    SUCCESS(0, "success"),
    ONE_FAILURE(1, "one failure, then success, no delay"),
    GIVES_UP(ATTEMPTS, "three failures, gives up"),
}

/** The attempts that every contestant may make. */
const val ATTEMPTS = 3

/** A failure without a stack trace: the cost of making one is not measured here. */
class Failure : RuntimeException("failure", null, false, false) {
    companion object {
        private const val serialVersionUID = 1L
    }
}

/**
 * The operation under test. Its parts are kept out of line, so that no compiler folds the call away: a floor of nothing
 * would say nothing.
 */
@State(Scope.Thread)
open class Work {
    @Param
    lateinit var row: Row

    /** One for each thread: threads that share an exception would meet at its monitor. */
    val failure = Failure()

    private var left = 0

    /** One suspending attempt: it calls out of line, and throws in the caller's block. */
    @Suppress("NOTHING_TO_INLINE")
    suspend inline fun attempt(): Any {
        val answer = answer()
        if (fails()) throw failure
        return answer
    }

    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    @Suppress("RedundantSuspendModifier")
    suspend fun answer(): Any = ANSWER

    /** One blocking attempt. */
    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    fun blocking(): Any = if (fails()) throw failure else ANSWER

    /** One asynchronous attempt, which has ended when it is seen. */
    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    fun future(): CompletableFuture<Any> =
        if (fails()) CompletableFuture.failedFuture(failure) else CompletableFuture.completedFuture(ANSWER)

    /** Whether the attempt that runs now fails. */
    fun fails(): Boolean {
        if (left > 0) {
            left--
            return true
        }
        left = row.failures
        return row == Row.GIVES_UP
    }

    companion object {
        @JvmField
        val ANSWER: Any = Any()
    }
}
