package dev.reprise.core

import dev.reprise.core.classify.HttpOutcome

/*
 * What an attempt ended with, as text that is fit for a log: one line, of bounded length, without the secrets that URLs
 * carry. Exceptions and results are foreign code; whatever they do when asked for their text, these functions answer.
 */

/** The longest line that [oneLine] gives, in characters, before the three dots that say that it was cut. */
internal const val LONGEST_LINE = 160

private const val REST_OF_VALUE = "[^\\s\"'<>)\\]]*"
private val USER_INFO = Regex("(?<=://)[^/?#\\s]*@")
private val QUERY = Regex("(://[^\\s?#\"'<>]*)[?#]$REST_OF_VALUE")

/** A query without the URL's beginning, as in `GET /users?token=...`. */
private val LOOSE_QUERY = Regex("\\?[^\\s?=\"'<>()]+=$REST_OF_VALUE")

/** What an attempt ended with: an exception, or a result that was not accepted. */
internal fun outcomeText(outcome: Any?): String = when (outcome) {
    is Throwable -> oneLine(outcome)
    is HttpOutcome -> oneLine(HttpText(outcome))
    else -> "result " + oneLine(outcome)
}

/** The first line of [value]'s text. With [redact], the queries, fragments and passwords of URLs are left out. */
internal fun oneLine(value: Any?, redact: Boolean = true): String {
    var line = textOf(value).trimStart().take(2 * LONGEST_LINE).lineSequence().first()
    if (redact) line = withoutSecrets(line)
    if (line.any(::isControl)) line = line.map { if (isControl(it)) ' ' else it }.joinToString("")
    return if (line.length <= LONGEST_LINE) line else line.take(LONGEST_LINE).trimEnd { it.isHighSurrogate() } + "..."
}

/** Most lines have no URL in them, and every failed call of a client that is in trouble comes by. */
private fun withoutSecrets(line: String): String {
    val plain = if ("://" in line) line.replace(USER_INFO, "").replace(QUERY, "$1?...") else line
    return if ('?' in plain) plain.replace(LOOSE_QUERY, "?...") else plain
}

private fun isControl(c: Char): Boolean = c.isISOControl() || c == '\u2028' || c == '\u2029'

private fun textOf(value: Any?): String = try {
    // Not a template: a toString that answers null would pass through it.
    StringBuilder().append(value).toString()
} catch (_: Throwable) {
    value?.javaClass?.name + " whose text cannot be had"
}

/** A response in a few words, whatever its class prints. */
private class HttpText(private val http: HttpOutcome) {
    override fun toString(): String = "status ${http.status}" + http.errorCode?.let { " $it" }.orEmpty()
}
