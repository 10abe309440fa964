package dev.reprise.core.shell.text

import dev.reprise.core.shell.ShellApi

/*
 * An attempt's outcome as text for a log: one line, of bounded length, without the secrets that URLs carry. Exceptions
 * and results are foreign code; these functions return even if their `toString` throws.
 */

/** The longest line that [oneLine] gives, in characters, before the three dots that say that it was cut. */
@ShellApi
public const val LONGEST_LINE: Int = 160

/**
 * The first line of [value]'s text, cut after [longest] characters. With [redact], the queries, fragments, parameters
 * and passwords of URLs are left out before anything is cut, so that a cut cannot hide the marks of a secret.
 */
@ShellApi
public fun oneLine(value: Any?, redact: Boolean = true, longest: Int = LONGEST_LINE): String {
    val text = textOf(value)
    val start = text.indexOfFirst { !it.isWhitespace() }
    if (start < 0) return ""
    val end = text.indexOfAny(LINE_ENDS, start).let { if (it < 0) text.length else it }
    val line = LogLine(longest)
    if (redact) Redaction(text, start, end, line).run() else line.append(text, start, end)
    return line.toString()
}

private val LINE_ENDS = charArrayOf('\n', '\r')

private fun textOf(value: Any?): String = try {
    // Not a template: a toString that returns null would pass through it.
    StringBuilder().append(value).toString()
} catch (_: Throwable) {
    value?.javaClass?.name + " whose text cannot be had"
}
