package dev.reprise.core

import dev.reprise.core.shell.time.MILLI

/**
 * Turns a backoff's ceiling and a random draw into a delay. These are the jitters of the AWS architecture blog and the
 * AWS SDKs. None exceeds the ceiling, and the cap is applied before the jitter, so that waits do not pile up at the
 * cap.
 */
public enum class Jitter {
    /** The ceiling itself. Clients that failed together come back together. */
    NONE,

    /** Anywhere between zero and the ceiling, as in the AWS SDKs. Puts the least load on a busy server. */
    FULL,

    /** Between half of the ceiling and the ceiling. */
    EQUAL,

    /** [FULL] in whole milliseconds from 0 to one less than the ceiling: AWS SDK for Java v2, `nextInt(ceiling)`. */
    FULL_MILLIS,

    /** [FULL] in whole milliseconds from 1 to the ceiling: AWS SDK for Java v1, `nextInt(ceiling) + 1`. */
    FULL_MILLIS_FROM_ONE,

    /** [FULL] in whole milliseconds from 0 to the ceiling: the 2016 revision of AWS SDK for Java v1. */
    FULL_MILLIS_INCLUSIVE,

    /** [FULL] cut to whole milliseconds after the draw, which is taken from the top: smithy-kotlin, `(1 - r)`. */
    FULL_TRUNCATED_MILLIS,

    /** [EQUAL] in whole milliseconds: AWS SDKs for Java, `ceiling / 2 + nextInt(ceiling / 2 + 1)`. */
    EQUAL_MILLIS,
    ;

    /** In the text of a backoff: `no jitter`, `full jitter`. */
    internal val text: String get() = (if (this == NONE) "no" else word) + " jitter"

    /** The delay in ns for a [ceiling] in ns: finite, not negative, at most [ceiling]. */
    internal fun delayNanos(ceiling: Long, draws: RandomSource): Long = when (this) {
        NONE -> ceiling
        FULL -> share(ceiling, draws.next())
        EQUAL -> ceiling - ceiling / 2 + share(ceiling / 2, draws.next())
        FULL_MILLIS -> draws.nextLong(ceiling / MILLI) * MILLI
        FULL_MILLIS_FROM_ONE -> (draws.nextLong(ceiling / MILLI) + 1).coerceAtMost(ceiling / MILLI) * MILLI
        FULL_MILLIS_INCLUSIVE -> draws.nextLong(ceiling / MILLI + 1) * MILLI
        FULL_TRUNCATED_MILLIS -> share(ceiling, 1 - draws.next()) / MILLI * MILLI
        EQUAL_MILLIS -> (ceiling / MILLI / 2).let { half -> half + draws.nextLong(half + 1) } * MILLI
    }
}

/** `fraction * whole` in whole ns, truncated once and never outside 0..[whole] whatever the rounding did. */
internal fun share(whole: Long, fraction: Double): Long = (fraction * whole).toLong().coerceIn(0, whole)
