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
        if (failure !is Error) tell(failure.javaClass.name) { classifierOf(failure) }
    }

    /** Logs the [type] of a failure, and the classifier that knows it, unless that was done. */
    fun tell(type: String, classifier: () -> String? = { null }) {
        if (seen.size >= MOST || !seen.add(type)) return
        val line = line(type, classifier())
        if (told.size >= MOST || !told.add(line)) return
        val end = if (told.size < MOST) "This is logged once." else "This is the last of $MOST such lines."
        WarningLog.log(System.Logger.Level.INFO, "$line $end")
    }

    private fun line(type: String, classifier: String?): String {
        val word = type.substringAfterLast('.').replace('$', '.')
        val mend =
            if (classifier == null) {
                "retryOn<$word>() in Kotlin or retryOn($word.class) in Java, or begin with RetryPolicy.ANY_EXCEPTION."
            } else {
                "classifyFirst($classifier) in Kotlin or classifyFirst($classifier.INSTANCE) in Java."
            }
        val who = if (retrier == null) "" else "[$retrier] "
        return "$who$type is not retried: no rule of the policy names it. To retry it, write $mend"
    }

    /** The object that tells apart the failures that an exception of this type stands for. */
    private fun classifierOf(failure: Throwable): String? =
        generateSequence<Class<*>>(failure.javaClass) { it.superclass }.firstNotNullOfOrNull {
            when (it.name) {
                "java.sql.SQLException" -> "SqlErrors"

                "io.ktor.client.plugins.ResponseException" -> "KtorErrors"

                "retrofit2.HttpException" -> "RetrofitErrors"

                "org.springframework.web.client.RestClientResponseException",
                "org.springframework.web.reactive.function.client.WebClientResponseException",
                -> "SpringErrors"

                "io.grpc.StatusException", "io.grpc.StatusRuntimeException" -> "GrpcErrors"

                else -> null
            }
        }

    private companion object {
        const val MOST = 100

        /** Retriers that are made for each call do not say it at each call. */
        val TOLD: MutableSet<String> = ConcurrentHashMap.newKeySet()
    }
}
