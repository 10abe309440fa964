package dev.reprise.core.shell.call

import dev.reprise.core.AnyException
import dev.reprise.core.Verdict
import dev.reprise.core.shell.text.WarningLog
import java.util.concurrent.ConcurrentHashMap

/**
 * Logs what is not retried and has no other sign of it without a listener: types of exceptions that no rule of the policy
 * names, and calls that must not be repeated. One line for each of them and [retrier], at most [MOST] in a process. Safe for
 * any number of threads.
 */
internal class NotRetried(private val retrier: String?, private val told: MutableSet<String> = TOLD) {
    // By name: classes may belong to a part of the application that is unloaded before the retrier.
    private val seen = ConcurrentHashMap.newKeySet<String>()

    /** Logs the type of [failure], unless that was done. An [Error] is not meant to be retried, and is no surprise. */
    fun unnamed(failure: Throwable) {
        if (failure !is Error) once(failure.javaClass.name) { unnamedText(failure, failure.javaClass.name) }
    }

    /** What retries it: the classifier that knows the [type], a rule for it, or `ANY_EXCEPTION`, which leaves programming mistakes alone. */
    private fun unnamedText(failure: Throwable, type: String): String {
        val isOfAny = AnyException.CLASSIFIER.classifyFailure(failure) is Verdict.Retry
        val word = type.substringAfterLast('.').replace('$', '.')
        val mend = classifierOf(failure)?.let { "classifyFirst($it) in Kotlin or classifyFirst($it.INSTANCE) in Java" }
            ?: "retryOn<$word>() in Kotlin, retryOn($word.class) in Java or retryOn in a document" +
            if (isOfAny) ", or begin with RetryPolicy.ANY_EXCEPTION" else ""
        return "$type is not retried: no rule of the policy names it. To retry it, write $mend."
    }

    /**
     * Logs that calls of [operation] failed and were not repeated, because of [why], unless that was done. If they are
     * [known to be safe][isSafe], a mark would change nothing.
     */
    fun notReplayable(operation: String?, why: String, isSafe: Boolean = false) = once("$operation: $why") {
        val mend = if (isSafe) {
            "A retry needs one that can be sent or done again."
        } else {
            "If a repeat is safe, mark the request, or set repeat in the call's options."
        }
        "${operation ?: "a call, such as a POST,"} is not retried: $why. $mend"
    }

    private inline fun once(key: String, line: () -> String) {
        if (seen.size >= MOST || !seen.add(key)) return
        val text = (if (retrier == null) "" else "[$retrier] ") + line()
        if (told.size >= MOST || !told.add(text)) return
        val end = if (told.size < MOST) "This is logged once." else "This is the last of $MOST such lines."
        WarningLog.log("INFO", "$text $end")
    }

    /** The object that tells apart the failures that an exception of this type stands for. */
    private fun classifierOf(failure: Throwable): String? =
        generateSequence<Class<*>>(failure.javaClass) { it.superclass }.firstNotNullOfOrNull {
            when (it.name) {
                "java.sql.SQLException", "io.r2dbc.spi.R2dbcException" -> "SqlErrors"

                "io.ktor.client.plugins.ResponseException" -> "KtorErrors"

                "retrofit2.HttpException" -> "RetrofitErrors"

                "org.springframework.web.client.RestClientResponseException",
                "org.springframework.web.reactive.function.client.WebClientResponseException",
                -> "SpringErrors"

                "io.grpc.StatusException", "io.grpc.StatusRuntimeException" -> "GrpcErrors"

                else -> null
            }
        }
}

private const val MOST = 100

/** Retriers that are made for each call do not say it at each call. */
private val TOLD: MutableSet<String> = ConcurrentHashMap.newKeySet()
