package dev.reprise.conformance.faults

import dev.reprise.core.NoPermit
import dev.reprise.core.OnBadResult
import dev.reprise.core.Verdict
import kotlin.random.Random
import kotlin.time.Duration.Companion.nanoseconds

/** What the work of an attempt does when it is cancelled or interrupted. */
enum class Answer { RETHROW, RESTORE, OWN_FAILURE, VALUE }

/** What one attempt comes to. */
class Step(val verdict: Verdict, val throws: Boolean, val takesNanos: Long, val answer: Answer) {
    override fun toString(): String = "${if (throws) "throws" else "returns"} $verdict after $takesNanos, $answer"
}

/** One random call, all of it made from its [seed]. */
class Plan(val seed: Long) {
    private val random = Random(seed)

    val face = FaceUnderFault.entries.random(random)
    val isWatched = random.nextInt(3) > 0
    val asOutcome = random.nextBoolean()
    val maxAttempts = random.nextInt(1, 6)
    val deadline = listOf(null, null, null, 1, 60, 300).random(random)
    val attemptTimeout = listOf(null, null, 20, 100).random(random)?.let { minOf(it, deadline ?: it) }
    val backoffMillis = listOf(0L, 0L, 10L, 50L).random(random)
    val quota = listOf(250, 250, 250, 8, 0, 500).random(random)
    val onBadResult = OnBadResult.entries.random(random)
    val trace = random.nextInt(4) > 0
    val isLongPoll = random.nextInt(8) == 0

    /** Send tokens at the start, or `null` outside adaptive mode; the next one takes a quarter of an hour. */
    val sendTokens = if (random.nextInt(3) > 0) {
        null
    } else {
        listOf(0, 1, 2, 32).random(random).let { if (face.mayQueue) it else 32 }
    }
    val noPermit =
        listOf(NoPermit.Wait, NoPermit.Wait, NoPermit.Fail, NoPermit.waitAtMost(MINUTE.nanoseconds)).random(random)
    val steps = List(random.nextInt(1, 6)) { step() }

    private val site = if (random.nextInt(5) == 0) null else Site.entries.random(random)
    private val at = random.nextInt(1, if (random.nextBoolean()) 3 else 9)
    private val foreign = Foreign.entries.random(random)
    private val cancelAt = if (random.nextInt(4) == 0) random.nextInt(1, 40) else 0
    val nullStageAt = if (site == Site.STAGE_NULL) at else 0

    /** When the call is cancelled from outside, in ns; 0 for never. */
    val cancelNanos = if (random.nextInt(4) == 0) {
        listOf(1L, 5L, 10L, 20L, 45L, 2_000_000L).random(random) * MILLI
    } else {
        0L
    }

    /** At which use of foreign code the retrier gets another policy; 0 for never. */
    private val swapAt = if (random.nextInt(6) == 0) random.nextInt(1, 20) else 0

    /** Whether the caller is gone before the call begins. */
    val isUnwanted = face.isVirtual && random.nextInt(16) == 0

    /** After how many ms a first attempt gets a copy; `null` for none. */
    val hedgeMillis = (if (face.hedges && random.nextInt(3) == 0) listOf(1, 10, 20, 50).random(random) else null)
        ?.takeIf { it < minOf(attemptTimeout ?: MINUTE_MILLIS, deadline ?: MINUTE_MILLIS) }

    /** Whether the caller's coroutine goes on where it is resumed, also in the middle of what cancels it. */
    val isInPlace = face == FaceUnderFault.SUSPEND && random.nextInt(3) == 0
    val cancels get() = cancelAt > 0 || cancelNanos > 0
    val fault get() = site

    fun saboteur() = Saboteur(site, at, foreign, cancelAt, swapAt)

    fun step(attempt: Int) = steps[(attempt - 1).coerceIn(0, steps.size - 1)]

    private fun step(): Step {
        val verdict = listOf(
            Verdict.Accept,
            Verdict.Reject,
            Verdict.TRANSIENT,
            Verdict.TRANSIENT,
            Verdict.TRANSIENT,
            Verdict.THROTTLING,
            Verdict.TIMEOUT,
        ).random(random)
        val throws = verdict != Verdict.Accept && random.nextBoolean()
        val takes = listOf(0L, 0L, 0L, 1L, 19L, 20L, 21L, 5_000L).random(random) * MILLI
        return Step(verdict, throws, takes, Answer.entries.random(random))
    }

    override fun toString(): String =
        "seed $seed: $face${if (asOutcome) ".outcome" else ""}${if (isWatched) ", watched" else ""}, " +
            "$maxAttempts attempts, timeout $attemptTimeout ms, deadline $deadline ms, backoff $backoffMillis ms, " +
            "quota $quota, send tokens $sendTokens ($noPermit), $onBadResult, long poll $isLongPoll, " +
            "copies after $hedgeMillis ms, ${if (isInPlace) "in place, " else ""}cancelled at $cancelNanos ns${if (isUnwanted) " and before" else ""}, ${saboteur()}\n  $steps"

    companion object {
        const val MILLI = 1_000_000L
        const val MINUTE = 60_000_000_000L
        private const val MINUTE_MILLIS = 60_000
    }
}
