package dev.reprise.soak

import java.util.Locale
import kotlin.time.Duration

/** The result of a soak. */
internal class Verdict(
    private val books: List<Books>,
    private val requests: Long,
    private val duplicates: List<String>,
    private val before: Holdings,
    private val after: Holdings,
    private val timers: Long,
    private val waiting: Int,
    private val connections: Int,
    private val stuck: List<String>,
    private val bare: Garbage,
    private val retrying: Garbage,
    private val took: Duration,
) {
    /** All that is wrong. */
    private val wrongs = buildList {
        for (face in books) {
            if (face.outcomes.sum() != face.made.sum()) add("${face.name}: ${face.made} calls, ${face.outcomes} ends")
            if (face.begun.sum() != face.ended.sum()) add("${face.name}: ${face.begun} begun, ${face.ended} end events")
            if (face.tokensByEvents != face.tokensByCounter) {
                add("${face.name}: ${face.tokensByEvents} tokens gone by events, ${face.tokensByCounter} by counter")
            }
            if (!face.mayBeCancelled && face.cancelled.sum() != 0L) {
                add("${face.name}: ${face.cancelled} cancelled by nobody")
            }
        }
        if (duplicates.isNotEmpty()) {
            val byFace = duplicates.groupingBy { it.removePrefix(Server.ONCE).substringBefore('/') }.eachCount()
            add("unsafe work done twice: $byFace, such as ${duplicates.take(SHOWN)}")
        }
        if (stuck.isNotEmpty()) add("calls that did not end: $stuck")
        if (timers != 0L) add("$timers timers left")
        if (waiting != 0) add("$waiting callers left in the line")
        if (connections != 0) add("$connections connections left")
        if (after.threads > before.threads + THREADS) add("threads: ${before.threads}, then ${after.threads}")
        if (after.files > before.files + FILES) add("open files: ${before.files}, then ${after.files}")
        if (retrying.isMoreThan(bare)) add("garbage: without Reprise $bare, with Reprise $retrying")
        if (after.heapBytes > before.heapBytes + HEAP) add("heap: $before, then $after")
    }

    /** Whether nothing is wrong. */
    val isSound: Boolean get() = wrongs.isEmpty()

    override fun toString(): String = buildString {
        appendLine("%-22s %9s %9s %9s %9s %9s".format("face", "calls", "attempts", "gave up", "cancelled", "tokens"))
        for (face in books) {
            appendLine(
                "%-22s %9d %9d %9d %9d %9d".format(
                    Locale.ROOT,
                    face.name,
                    face.made.sum(),
                    face.attempts.sum(),
                    face.gaveUp.sum(),
                    face.cancelled.sum(),
                    face.tokensByEvents,
                ),
            )
        }
        appendLine()
        appendLine(
            "$took, ${books.sumOf {
                it.made.sum()
            }} calls, $requests requests, ${duplicates.size} duplicates of unsafe work",
        )
        appendLine("after the first fifth: $before")
        appendLine("at the end:            $after; $timers timers, $waiting in line, $connections connections left")
        appendLine("garbage from a server: java.net.http $bare, RetryingHttpClient $retrying")
        append(if (isSound) "sound" else "NOT SOUND\n" + wrongs.joinToString("\n"))
    }

    private companion object {
        const val SHOWN = 5

        // Pools grow and shrink by some; a leak with each call leaks thousands.
        const val THREADS = 16
        const val FILES = 32
        const val HEAP = 16 * Holdings.MEGABYTE
    }
}
