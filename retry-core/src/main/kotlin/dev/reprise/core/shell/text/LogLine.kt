package dev.reprise.core.shell.text

/** A line that is being written for a log: without control characters, and never longer than [longest] and three dots. */
internal class LogLine(private val longest: Int) {
    private val line = StringBuilder()

    /** Whether further text would be cut off. */
    val isFull: Boolean get() = line.length > longest

    /** Adds the characters of [text] from [from] until [to], as many as there is room for. */
    fun append(text: String, from: Int = 0, to: Int = text.length) {
        var i = from
        while (i < to && !isFull) line.append(visible(text[i++]))
    }

    override fun toString(): String = if (!isFull) line.toString() else cut() + "..."

    private fun cut() = line.substring(0, longest).trimEnd { it.isHighSurrogate() }
}

private fun visible(c: Char): Char = if (c.isISOControl() || c in DISGUISES || c in LINE_ENDS) ' ' else c

/** Line and paragraph separator, which some viewers obey. */
private val LINE_ENDS = '\u2028'..'\u2029'

/**
 * Characters that change the direction of the text after them, so that a log looks different from its content.
 */
private const val DISGUISES = "\u061C\u200E\u200F\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069"
