package dev.reprise.okhttp

import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.core.time.briefText
import okhttp3.Response
import kotlin.time.Duration
import kotlin.time.toJavaDuration
import java.time.Duration as JavaDuration

/** How a response came about. Immutable. */
public class RetryReport private constructor(
    /** How many attempts were made. */
    public val attempts: Int,
    /**
     * How many requests were sent, as far as responses tell: the attempts, and the redirects, answers to challenges and
     * repeats of OkHttp's own within them.
     */
    public val requests: Int,
    /** All waits between attempts. */
    @get:JvmSynthetic
    public val totalDelay: Duration,
    /** Why the call ended. */
    public val reason: StopReason,
    /** Every attempt, one by one; `null` if the first one succeeded, or the policy makes no traces. */
    public val trace: RetryTrace?,
) {
    internal constructor(outcome: RetryOutcome<*>, requests: Int) : this(
        outcome.attempts,
        requests,
        outcome.totalDelay,
        outcome.reason,
        outcome.trace,
    )

    /** All waits between attempts. For Java. */
    public fun getTotalDelay(): JavaDuration = totalDelay.toJavaDuration()

    override fun toString(): String = "$attempts attempts, waited ${briefText(totalDelay.inWholeNanoseconds)}, $reason"

    public companion object {
        /**
         * The report of [response]; one successful attempt if it came without retries, or from a client that has none.
         */
        @JvmStatic
        public fun of(response: Response): RetryReport = response.request.tag(RetryReport::class.java)
            ?: RetryReport(1, 1 + AttemptRequests.followUps(response), Duration.ZERO, StopReason.SUCCESS, null)
    }
}

/** How this response came about: attempts, waits, and why there were no more. */
@get:JvmSynthetic
public val Response.retryReport: RetryReport get() = RetryReport.of(this)

/** This response with [report] as a tag of its request, the one place where a response can carry something. */
internal fun Response.with(report: RetryReport): Response =
    newBuilder().request(request.newBuilder().tag(RetryReport::class.java, report).build()).build()
