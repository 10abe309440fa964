package dev.reprise.fuzz

import com.code_intelligence.jazzer.api.FuzzedDataProvider
import org.junit.jupiter.api.Assertions.assertTrue

/** The longest input that a harness looks at; the fuzzer's own is a few kilobytes. */
private const val LONGEST = 100_000

/** A path, a rule that lists all presets, and a value. */
private const val LONGEST_MESSAGE = 1_300

/** All of the input as text. */
internal fun FuzzedDataProvider.text(): String = consumeRemainingAsString().take(LONGEST)

/** A text that is fit for a log or a metric: one short line. */
internal fun requireOneLine(text: String) {
    assertTrue(text.length <= LONGEST_MESSAGE) { "${text.length} characters: ${text.take(100)}" }
    assertTrue(text.none { it.isISOControl() || it == '\u2028' || it == '\u2029' }) { "not one line: $text" }
}

/** What [read] returns, or `null` if it throws a [T], whose message must be one short line. */
internal inline fun <reified T : Exception, R> readOrRefuse(read: () -> R): R? = try {
    read()
} catch (refusal: Exception) {
    if (refusal !is T) throw refusal
    requireOneLine(refusal.message.orEmpty())
    null
}
