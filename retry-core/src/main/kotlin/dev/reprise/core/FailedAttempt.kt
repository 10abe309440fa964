package dev.reprise.core

import dev.reprise.core.shell.text.oneLine
import dev.reprise.core.shell.time.briefText
import dev.reprise.core.shell.time.durationOf
import java.io.Serializable
import kotlin.time.Duration
import java.time.Duration as JavaDuration

/**
 * One line of a [RetryTrace]. Immutable; compares by its text. Keeps an exception itself and formats it when read;
 * keeps only the class, status and error code of a result. Serialized as text.
 */
public class FailedAttempt private constructor(
    /** The attempt's number, from 1. */
    public val number: Int,
    private val delayNanos: Long,
    /** The one that is listed before it. */
    private val previous: FailedAttempt?,
    /** The exception, the note of a result, or, once serialized, the text of either. */
    private val outcome: Any,
) : Serializable {
    internal constructor(number: Int, outcome: Any?, delayNanos: Long, previous: FailedAttempt? = null) :
        this(number, delayNanos, previous, if (outcome is Throwable) outcome else ResultNote.of(outcome))

    /**
     * The exception, or the class of the bad result, as one line of bounded length, without the queries and passwords
     * of URLs.
     */
    public val what: String get() = outcome as? String ?: oneLine(outcome)

    /** The wait that followed; zero after the last one. */
    @get:JvmSynthetic
    public val delay: Duration get() = durationOf(delayNanos)

    /** The wait that followed; zero after the last one. For Java. */
    public fun getDelay(): JavaDuration = JavaDuration.ofNanos(delayNanos)

    /** The attempts that are listed up to this one, from the first on. A call keeps them as a chain, and few ask for the list. */
    internal fun listed(): List<FailedAttempt> = generateSequence(this) { it.previous }.toList().asReversed()

    /** This one, listed without the one that comes [back] before it. */
    private fun without(back: Int): FailedAttempt? =
        if (back == 0) previous else FailedAttempt(number, delayNanos, previous?.without(back - 1), outcome)

    private fun writeReplace(): Any = FailedAttempt(number, delayNanos, previous, what)

    override fun equals(other: Any?): Boolean =
        other is FailedAttempt && number == other.number && what == other.what && delayNanos == other.delayNanos

    override fun hashCode(): Int = (number * 31 + what.hashCode()) * 31 + delayNanos.hashCode()

    override fun toString(): String =
        "attempt $number: $what" + if (delayNanos > 0) ", then waited ${briefText(delayNanos)}" else ""

    internal companion object {
        private const val serialVersionUID = 1L

        /** How many of the first failures are listed, and of the last ones without the very last. */
        private const val KEPT_FIRST = 4
        private const val KEPT_LAST = 8

        /** The failure of the attempt of this [number] after [earlier] ones, which are then no more than are listed. */
        fun after(earlier: FailedAttempt?, number: Int, outcome: Any?, delayNanos: Long): FailedAttempt {
            val isFull = number > KEPT_FIRST + KEPT_LAST
            val listed = if (isFull) earlier?.without(KEPT_LAST - 1) else earlier
            return FailedAttempt(number, outcome, delayNanos, listed)
        }
    }
}

/** The parts of a result that a trace keeps: nothing that must be closed, nothing mutable. */
internal class ResultNote private constructor(
    private val type: Class<*>?,
    private val status: Int,
    private val code: String?,
) {
    override fun toString(): String = when {
        status >= 0 -> "status $status" + code?.let { " $it" }.orEmpty()
        else -> "result of " + (type?.name ?: "null")
    }

    companion object {
        fun of(result: Any?): ResultNote = when (result) {
            is ResultNote -> result
            is HttpOutcome -> ResultNote(result.javaClass, result.status, result.errorCode)
            else -> ResultNote(result?.javaClass, -1, null)
        }
    }
}
