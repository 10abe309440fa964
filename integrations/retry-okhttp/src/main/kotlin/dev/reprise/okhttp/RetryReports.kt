@file:JvmName("RetryReports")

package dev.reprise.okhttp

import dev.reprise.core.shell.http.RetryReport
import dev.reprise.core.shell.layers.MarkCarriers
import dev.reprise.core.shell.layers.Marked
import okhttp3.Response

/**
 * How this response came about: attempts, waits, and why there were no more. One successful attempt if it came without
 * retries, or from a client that has none. In Java `RetryReports.of(response)`.
 */
@get:JvmName("of")
public val Response.retryReport: RetryReport
    get() = request.tag(RetryReport::class.java) ?: firstTry()

private fun Response.firstTry(): RetryReport =
    if (priorResponse == null) RetryReport.FIRST_TRY else RetryReport.firstTry(1 + AttemptRequests.followUps(this))

/** This response with [report] as a tag of its request, the one place where a response can carry something. */
internal fun Response.with(report: RetryReport): Response =
    newBuilder().request(request.newBuilder().tag(RetryReport::class.java, report).build()).build()

/** Finds the report of a response, which a retrier around the client asks for. */
internal object OkHttpMarks : MarkCarriers.Reader {
    override fun of(value: Any): Marked? = (value as? Response)?.request?.tag(RetryReport::class.java)
}
