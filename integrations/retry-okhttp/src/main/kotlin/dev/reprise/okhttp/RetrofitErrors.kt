package dev.reprise.okhttp

import dev.reprise.core.HttpOutcome
import dev.reprise.core.NamesRejections
import dev.reprise.core.ResponseReader
import dev.reprise.core.ResultScope
import dev.reprise.core.shell.firstOfCauses
import retrofit2.HttpException

/**
 * Reads the response that Retrofit's `HttpException` stands for, of a `suspend` function that returns a body. After
 * `classifyFirst(RetrofitErrors)` a policy judges the exception by its status, also
 * [ANY_EXCEPTION][dev.reprise.core.RetryPolicy.ANY_EXCEPTION], and follows `Retry-After` if it would for a response.
 *
 * For a retrier around the calls of a Retrofit interface whose client does not retry. Has no opinion on anything else, and
 * works without Retrofit, of which it then meets no exception.
 */
public object RetrofitErrors : ResponseReader, NamesRejections {
    /** By name, so that nothing of Retrofit is linked before one of its exceptions is there. */
    private fun isRetrofit(failure: Throwable) =
        generateSequence<Class<*>>(failure.javaClass) { it.superclass }.any { it.name == "retrofit2.HttpException" }

    override fun responseOf(failure: Throwable): HttpOutcome? =
        firstOfCauses(failure) { if (isRetrofit(it)) RetrofitResponse(it) else null }

    override val resultScope: ResultScope get() = ResultScope.NONE

    override fun toString(): String = "retrofit"
}

/** The response of an `HttpException`; its body is the exception's. */
private class RetrofitResponse(failure: Throwable) : HttpOutcome() {
    private val exception = failure as HttpException

    override val status: Int get() = exception.code()

    // An exception that was read back from a stream has lost its response. Headers.get returns the last one.
    override fun header(name: String): String? = exception.response()?.headers()?.values(name)?.firstOrNull()

    override val receivedAtEpochMillis: Long get() = exception.response()?.raw()?.receivedAt() ?: UNKNOWN_TIME
}
