package dev.reprise.conformance.faults

import dev.reprise.core.BadResultException
import dev.reprise.core.RetryOutcome
import dev.reprise.core.Verdict
import java.io.IOException

/** A result that somebody has to close. */
class Result(val verdict: Verdict, private val number: Int) {
    @Volatile
    var delivered = 0

    @Volatile
    var discarded = 0

    override fun toString(): String = "result $number ($verdict): delivered $delivered, discarded $discarded"
}

/** A failure that means [verdict]. */
class ScriptedFailure(val verdict: Verdict) : IOException("$verdict")

/** All results of one call, and where they went. */
class Results {
    private val all = mutableListOf<Result>()

    val list: List<Result> get() = synchronized(all) { all.toList() }

    fun make(verdict: Verdict): Result = synchronized(all) { Result(verdict, all.size + 1).also { all += it } }

    /** [result] never left its maker. */
    fun forget(result: Result) {
        synchronized(all) { all -= result }
    }

    fun discarded(result: Any?) {
        if (result is Result) synchronized(all) { result.discarded++ }
    }

    /** What the caller was given. */
    fun delivered(end: Any?) {
        when (end) {
            is Result -> synchronized(all) { end.delivered++ }
            is RetryOutcome.Success<*> -> delivered(end.value)
            is RetryOutcome.BadResult<*> -> delivered(end.value)
            is BadResultException -> delivered(end.result)
            is IOException -> delivered(end.cause)
        }
    }
}
