package dev.reprise.test

import dev.reprise.core.RetryEvent
import dev.reprise.core.StopReason
import kotlin.time.Duration
import kotlin.time.toJavaDuration
import kotlin.time.toKotlinDuration
import java.time.Duration as JavaDuration

/** The events of one call that a [Recorder] has heard. */
public class RecordedCall internal constructor(
    /** All events, in order. */
    public val events: List<RetryEvent>,
) {
    /** How many attempts began. */
    public val attempts: Int get() = events.count { it is RetryEvent.AttemptStarted }

    /** The waits between attempts, as they were planned. */
    @get:JvmSynthetic
    @get:JvmName("delaysOfKotlin")
    public val delays: List<Duration>
        get() = events.filterIsInstance<RetryEvent.RetryScheduled>().map { it.delay }

    /** The waits between attempts, as they were planned. For Java. */
    public fun getDelays(): List<JavaDuration> = delays.map { it.toJavaDuration() }

    /** The last events; a call that has ended has exactly one. */
    public val ends: List<RetryEvent> get() = events.filter(::isEnd)

    /** Why the call ended, or `null` while it runs. */
    public val reason: StopReason?
        get() = when (val end = ends.singleOrNull()) {
            is RetryEvent.CallSucceeded -> StopReason.SUCCESS
            is RetryEvent.CallGaveUp -> end.reason
            is RetryEvent.CallCancelled -> StopReason.CANCELLED
            else -> null
        }

    /** The tokens that the call took and did not give back; negative if success brought more. */
    public val netTokens: Int
        get() = events.sumOf {
            when (it) {
                is RetryEvent.QuotaTaken -> it.tokens
                is RetryEvent.QuotaRefunded -> -it.tokens
                else -> 0
            }
        }

    /** Asserts that the call has ended, exactly once, with its last event, and that times never go back. */
    public fun assertEndedOnce(): RecordedCall = apply {
        if (ends.size != 1 || !isEnd(events.last())) fail("one end event, the last of all", "${ends.size}")
        if (events.first() !is RetryEvent.CallStarted) fail("CallStarted first", "${events.first()}")
        val back = events.zipWithNext().find { (a, b) -> b.atNanos - a.atNanos < 0 }
        if (back != null) fail("times that never go back", "${back.first}, ${back.second}")
        val numbers = events.filterIsInstance<RetryEvent.AttemptStarted>().map { it.attempt }
        if (numbers != (1..numbers.size).toList()) fail("attempts that count up from 1", "$numbers")
    }

    /** Asserts how many attempts began. */
    public fun assertAttempts(expected: Int): RecordedCall = apply {
        if (attempts != expected) fail("$expected attempts", "$attempts")
    }

    /** Asserts the waits between attempts. */
    @JvmSynthetic
    public fun assertDelays(expected: List<Duration>): RecordedCall = apply {
        if (delays != expected) fail("delays of $expected", "$delays")
    }

    /** Asserts the waits between attempts. For Java. */
    public fun assertDelays(vararg expected: JavaDuration): RecordedCall =
        assertDelays(expected.map { it.toKotlinDuration() })

    /** Asserts why the call ended. */
    public fun assertReason(expected: StopReason): RecordedCall = apply {
        if (reason != expected) fail("the reason $expected", "$reason")
    }

    /** Asserts the tokens that the call took and did not give back. */
    public fun assertNetTokens(expected: Int): RecordedCall = apply {
        if (netTokens != expected) fail("$expected tokens taken and kept", "$netTokens")
    }

    private fun fail(expected: String, actual: String): Nothing =
        throw AssertionError("expected $expected, but was $actual in\n  ${events.joinToString("\n  ")}")

    private fun isEnd(event: RetryEvent) =
        event is RetryEvent.CallSucceeded || event is RetryEvent.CallGaveUp || event is RetryEvent.CallCancelled

    override fun toString(): String = events.joinToString("\n")
}
