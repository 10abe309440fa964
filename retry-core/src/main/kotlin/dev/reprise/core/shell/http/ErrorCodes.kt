package dev.reprise.core.shell.http

import dev.reprise.core.HttpOutcome
import dev.reprise.core.shell.ShellApi

/**
 * Finds a service's error code where AWS-like services put it. The input may be hostile: the time is linear in its
 * length, a code is at most [LONGEST] printable ASCII characters, and input that is not understood gives `null`.
 */
public object ErrorCodes {
    /** The header that carries the code. */
    public const val HEADER: String = "x-amzn-errortype"

    /** The most characters of a code; the longest of an AWS service has half as many. */
    private const val LONGEST = 128

    private val SUCCESSES = 200..299

    /** The code in a header's [value], such as `ns#ThrottlingException:http://…`, without name space and URL; or `null`. */
    @JvmStatic
    public fun ofHeader(value: String): String? {
        val code = value.substringBefore(':').substringAfterLast('#').trim(' ', '\t', '\r', '\n')
        // A code goes into logs and metrics: no control characters, and nothing that changes how the line around it reads.
        return code.takeIf { it.length in 1..LONGEST && it.all { c -> c in ' '..'~' } }
    }

    /**
     * The code in a [body], JSON or XML, of which only the beginning may be there; or `null`. Looks at no more than the
     * first 64 KiB: services say what is wrong before anything else.
     */
    @JvmStatic
    public fun ofBody(body: ByteArray): String? = ErrorBody(body).code()?.let(::ofHeader)

    /**
     * The error message in a [body], JSON or XML, of which only the beginning may be there; or `null`. At most 4 KiB, and
     * searched for in the first 64 KiB.
     */
    @JvmStatic
    public fun messageOfBody(body: ByteArray): String? = ErrorBody(body).message()

    /** The code of [response], in its header or in what was [read] of its body. A good response says none in its body. */
    @ShellApi
    @JvmStatic
    public fun of(response: HttpOutcome, read: ByteArray?): String? =
        response.header(HEADER)?.let(::ofHeader) ?: errorIn(read, response)?.let(::ofBody)

    /** The message of [response], in what was [read] of its body. A good response has none. */
    @ShellApi
    @JvmStatic
    public fun messageOf(response: HttpOutcome, read: ByteArray?): String? =
        errorIn(read, response)?.let(::messageOfBody)

    private fun errorIn(read: ByteArray?, response: HttpOutcome) = read?.takeIf { response.status !in SUCCESSES }
}
