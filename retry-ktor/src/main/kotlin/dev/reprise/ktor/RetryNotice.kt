package dev.reprise.ktor

import dev.reprise.core.shell.time.briefText
import io.ktor.client.statement.HttpResponse
import kotlin.time.Duration

/** A retry before its wait, for [RetryPluginConfig.beforeRetry]. */
public class RetryNotice internal constructor(
    /** The number of the attempt that failed, from 1. */
    public val attempt: Int,
    /** The attempt's exception, or `null` if it got a [response]. */
    public val cause: Throwable?,
    /** The response that was rejected, or `null` if there is a [cause]. It is released when the hook returns. */
    public val response: HttpResponse?,
    /** The wait before the next attempt. */
    public val delay: Duration,
) {
    override fun toString(): String =
        "attempt $attempt: ${cause ?: response}, next in ${briefText(delay.inWholeNanoseconds)}"
}
