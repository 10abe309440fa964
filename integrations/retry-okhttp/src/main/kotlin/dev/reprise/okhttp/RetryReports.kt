@file:JvmName("RetryReports")

package dev.reprise.okhttp

import dev.reprise.core.http.RetryReport
import okhttp3.Response

/**
 * How this response came about: attempts, waits, and why there were no more. One successful attempt if it came without
 * retries, or from a client that has none. In Java `RetryReports.of(response)`.
 */
@get:JvmName("of")
public val Response.retryReport: RetryReport
    get() = request.tag(RetryReport::class.java) ?: RetryReport.FIRST_TRY

/**
 * How many requests were sent for this response, as far as responses tell: the attempts, and the redirects, replies to
 * challenges and repeats of OkHttp's own within them. In Java `RetryReports.requestsOf(response)`.
 */
@get:JvmName("requestsOf")
public val Response.requestsSent: Int
    get() = request.tag(SentCount::class.java)?.requests ?: (1 + AttemptRequests.followUps(this))

/** The number of requests behind a response, as a tag of its request. */
private class SentCount(val requests: Int)

/** This response with [report] and [requests] as tags of its request, the one place where a response can carry something. */
internal fun Response.with(report: RetryReport, requests: Int): Response = newBuilder().request(
    request.newBuilder()
        .tag(RetryReport::class.java, report)
        .tag(SentCount::class.java, SentCount(requests))
        .build(),
).build()
