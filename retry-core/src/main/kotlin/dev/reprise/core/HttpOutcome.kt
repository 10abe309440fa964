package dev.reprise.core

import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.firstOfCauses

/**
 * An HTTP response as the classifiers see it. A shell returns one from the attempt, or carries it in an exception that
 * implements [HttpFailure].
 *
 * It is deliberately a class, not an interface: on the success path, `result is HttpOutcome` then costs one load and
 * compare for every type of result.
 */
public abstract class HttpOutcome {
    /** The status code, such as 503. */
    public abstract val status: Int

    /** The service's error code, such as `ThrottlingException`, without name space or URL; `null` if there is none. */
    public open val errorCode: String? get() = null

    /** The service's error message, or `null` if it is not known; a few services tell failures apart by nothing else. */
    public open val errorMessage: String? get() = null

    /** The first value of the header [name] (any case), or `null`. */
    public abstract fun header(name: String): String?

    /** The raw body, for checksums; `null` where it was not read. */
    public open val body: ByteArray? get() = null

    /** When the response came, in ms since 1970 on the caller's clock; [UNKNOWN_TIME] where the shell did not look. */
    public open val receivedAtEpochMillis: Long get() = UNKNOWN_TIME

    /** The verdict of a shell that had to judge this response before it reported it; the classifier is then not asked again. */
    @ShellApi
    public open val verdict: Verdict? get() = null

    override fun toString(): String = "HTTP $status" + errorCode?.let { " $it" }.orEmpty()

    public companion object {
        /** Stands for a time that is not known. */
        public const val UNKNOWN_TIME: Long = Long.MIN_VALUE
    }
}

/** An exception that carries the HTTP response that caused it. */
public interface HttpFailure {
    /** The response. */
    public val http: HttpOutcome
}

/** The response that [failure] or one of its causes carries, or `null`. */
internal fun httpOf(failure: Throwable): HttpOutcome? = firstOfCauses(failure) { (it as? HttpFailure)?.http }

/**
 * When the server says that it sent this response, in ms since 1970; `null` if it does not say, or if the response comes out of
 * a cache, whose `Date` is as old as the header `Age` says.
 */
internal fun HttpOutcome.sentAtEpochMillis(): Long? =
    if (header("age") != null) null else header("date")?.let { HttpDate.parse(it.trim(' ', '\t')) }?.toEpochMilli()
