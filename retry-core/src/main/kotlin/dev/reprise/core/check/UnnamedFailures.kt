package dev.reprise.core.check

import java.util.concurrent.ConcurrentHashMap

/**
 * Logs which types of exceptions are not retried because no rule of the policy names them: without a listener nothing else
 * says so. One line for each type and [retrier], at most [MOST] in a process. Safe for any number of threads.
 */
internal class UnnamedFailures(private val retrier: String?, private val told: MutableSet<String> = TOLD) {
    // By name: classes may belong to a part of the application that is unloaded before the retrier.
    private val seen = ConcurrentHashMap.newKeySet<String>()

    /** Logs the type of [failure], unless that was done. An [Error] is not meant to be retried, and is no surprise. */
    fun tell(failure: Throwable) {
        if (failure !is Error) tell(failure.javaClass.name)
    }

    /** Logs the [type] of a failure, unless that was done. */
    fun tell(type: String) {
        if (seen.size >= MOST || !seen.add(type)) return
        val line = line(type)
        if (told.size < MOST && told.add(line)) WarningLog.log(System.Logger.Level.INFO, line)
    }

    private fun line(type: String): String {
        val word = type.substringAfterLast('.').replace('$', '.')
        return (if (retrier == null) "" else "[$retrier] ") +
            "$type is not retried: no rule of the policy names it. To retry it, write retryOn<$word>() in Kotlin or " +
            "retryOn($word.class) in Java, or begin with RetryPolicy.ANY_EXCEPTION. This is logged once."
    }

    private companion object {
        const val MOST = 100

        /** Retriers that are made for each call do not say it at each call. */
        val TOLD: MutableSet<String> = ConcurrentHashMap.newKeySet()
    }
}
