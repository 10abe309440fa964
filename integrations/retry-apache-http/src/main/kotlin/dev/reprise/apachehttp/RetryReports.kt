@file:JvmName("RetryReports")

package dev.reprise.apachehttp

import dev.reprise.core.shell.http.RetryReport
import dev.reprise.core.shell.layers.MarkCarriers
import dev.reprise.core.shell.layers.Marked
import org.apache.hc.core5.http.HttpResponse
import org.apache.hc.core5.http.HttpVersion
import org.apache.hc.core5.http.ProtocolVersion

/**
 * How this response came about: attempts, waits, and why there were no more. One successful attempt if it came without
 * retries, or from a client that has none. In Java `RetryReports.of(response)`.
 */
@get:JvmName("of")
public val HttpResponse.retryReport: RetryReport
    get() = (version as? ReportedVersion)?.report ?: RetryReport.FIRST_TRY

/**
 * The version of a response with its [report]. The client wraps its responses once more on their way to the caller; this is an
 * object of theirs that stays the same, and equals the bare version.
 */
private class ReportedVersion(version: ProtocolVersion, @Transient val report: RetryReport?) :
    ProtocolVersion(version.protocol, version.major, version.minor)

/** Lets this response carry [report]. */
internal fun HttpResponse.carry(report: RetryReport) {
    version = ReportedVersion(version ?: HttpVersion.HTTP_1_1, report)
}

/** Finds the report of a response, which a retrier around the client asks for. */
internal object ApacheMarks : MarkCarriers.Reader {
    override fun of(value: Any): Marked? = ((value as? HttpResponse)?.version as? ReportedVersion)?.report
}
