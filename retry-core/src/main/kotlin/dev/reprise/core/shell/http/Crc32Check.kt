package dev.reprise.core.shell.http

import dev.reprise.core.BodyNeed
import dev.reprise.core.Classifier
import dev.reprise.core.FailureKind
import dev.reprise.core.HttpOutcome
import dev.reprise.core.ResultScope
import dev.reprise.core.Verdict
import dev.reprise.core.httpOf
import dev.reprise.core.shell.text.digitsOrNull
import java.util.zip.CRC32

/**
 * Checks the body of a response against the checksum in its [header], as DynamoDB sends it in `x-amz-crc32`: an unsigned
 * decimal over the raw body. A body that does not match was damaged on its way, which is transient.
 *
 * Has no opinion where the header is missing or is no number, and where the shell did not read the body. Put it before the
 * tables, which would reject a damaged 400. Immutable; compares by value.
 */
public class Crc32Check(
    /** The name of the header. */
    public val header: String,
) : Classifier {
    /** The check against `x-amz-crc32`. */
    public constructor() : this("x-amz-crc32")

    override fun classifyResult(result: Any?): Verdict? = if (result is HttpOutcome) check(result) else null

    override fun classifyFailure(failure: Throwable): Verdict? = httpOf(failure)?.let(::check)

    override val resultScope: ResultScope get() = ResultScope.HTTP

    override val bodyNeed: BodyNeed get() = BodyNeed.ALL

    private fun check(response: HttpOutcome): Verdict? {
        val expected = response.header(header)?.trim()?.digitsOrNull(most = 18) ?: return null
        val body = response.body ?: return null
        val actual = CRC32().apply { update(body) }.value
        return if (actual == expected) null else MISMATCH
    }

    override fun equals(other: Any?): Boolean = other is Crc32Check && header == other.header

    override fun hashCode(): Int = header.hashCode()

    override fun toString(): String = "crc32 of $header"
}

private val MISMATCH = Verdict.Retry(FailureKind.TRANSIENT, "crc32 mismatch")
